// The graph around a state. Where everything stands is worked out by the explorer; here it is drawn.

const LINE = 15;

function drawGraph(graph, ongo) {
  const nodes = graph.nodes.map((node) => {
    const lines = node.lines.map((line, i) => svg("text", {
      x: node.x + node.width / 2, y: node.y + node.height / 2 + (i - (node.lines.length - 1) / 2) * LINE + 4,
      "text-anchor": "middle",
    }, line));
    return svg("g", { class: node.here ? "node here" : "node", tabindex: node.here ? null : "0", role: "button",
      onclick: () => ongo(node.path), onkeydown: (e) => { if (e.key === "Enter") { ongo(node.path); } } },
    svg("title", {}, node.here ? "the current state" : "go there"),
    svg("rect", { x: node.x, y: node.y, width: node.width, height: node.height, rx: 6 }), lines);
  });
  const arcs = graph.arcs.map((arc) => {
    const [x, y, hx, hy] = arc.end;
    const length = Math.hypot(hx, hy) || 1;
    const [ux, uy] = [hx / length, hy / length];
    const head = `M ${x} ${y} L ${x - 8 * ux + 3.5 * uy} ${y - 8 * uy - 3.5 * ux} L ${x - 8 * ux - 3.5 * uy} ${y - 8 * uy + 3.5 * ux} z`;
    return svg("g", { class: "arc" }, svg("title", {}, arc.events.join(", ")),
      svg("path", { class: "way", d: arc.path }), svg("path", { class: "tip", d: head }),
      svg("text", { x: arc.x, y: arc.y + 12 }, arc.label));
  });
  const [width, height] = [graph.width + 24, graph.height + 24];
  const drawing = svg("svg", { class: "graph", viewBox: `-12 -12 ${width} ${height}`, width, height }, arcs, nodes);
  return drawing;
}
