// Answers in words, and the tree of paths that a witness of a branching formula is.

const REASONS = new Map([
  ["timeout", "out of time"], ["memory", "out of memory"], ["states", "limit of states reached"],
  ["depth", "more states lie beyond the depth"], ["interrupted", "interrupted"],
  ["cache", "the stack is deeper than the cache has room for"],
]);
const MOST_BRANCHES = 100;

function verdictText(result) {
  if (result.verdict === "unknown") {
    return `unknown (${REASONS.get(result.reason) ?? result.reason ?? "no reason given"})`;
  }
  if (result.kind === "bounds") {
    const least = result.stats.min;
    return result.value === null ? "no value" : least === undefined ? `up to ${result.value}` : `${least}..${result.value}`;
  }
  if (result.kind === "reachable") {
    return result.verdict === "true" ? "reachable" : "not reachable";
  }
  return result.verdict === "true" ? "holds" : "violated";
}

function evidenceText(result) {
  const steps = plural(result.witness.steps.length, "step");
  const branches = countBranches(result.witness);
  const count = branches === 0 ? steps : `${steps} with ${plural(branches, "branch", "branches")}`;
  const atOnce = result.witness.steps.length === 0 && branches === 0;
  const where = atOnce ? "in the initial state" : `after ${count}`;
  const what = result.kind === "deadlock" ? `the system deadlocks ${where}`
    : result.kind === "reachable" ? `reached ${where}`
      : atOnce ? where : `a ${result.witness.loop === null ? "trace" : "run"} of ${count}`;
  return `${what}${result.replayed ? ", replayed on the model" : ""}`;
}

function countBranches(witness) {
  let count = 0;
  const stack = [witness];
  while (stack.length > 0) {
    const branches = stack.pop().branches ?? [];
    count += branches.length;
    stack.push(...branches);
  }
  return count;
}

function closingText(witness) {
  if (witness.loop === null || witness.loop === undefined) {
    return null;
  }
  return witness.loop === witness.steps.length
    ? "↻ no event can follow: the last state repeats for ever"
    : `↻ the last state is the same as state ${witness.loop}: the steps from there on repeat for ever`;
}

// An explanation: lines that are not indented begin a part. What a deadlocked system waits for says
// most, and of parts of a formula that are the same one is enough.
function explanationOf(lines) {
  const parts = [];
  for (const line of lines) {
    if (!line.startsWith(" ") || parts.length === 0) {
      parts.push({ head: line, lines: [] });
    } else {
      parts[parts.length - 1].lines.push(line.slice(2));
    }
  }
  const waits = (part) => /^no (event|process) can/.test(part.head);
  parts.sort((a, b) => waits(b) - waits(a));
  return h("div", { tabindex: "0" }, parts.map((part) => {
    const shown = waits(part) ? part.lines : [...new Set(part.lines)];
    return h("details", { open: true }, h("summary", {}, part.head),
      h("pre", {}, shown.map((line) => document.createTextNode(`${visible(line)}\n`))));
  }));
}

// What a path of the tree is there for.
function claimText(path) {
  return path.shows !== undefined ? `this holds: ${path.shows}`
    : path.refutes !== undefined ? `this does not hold: ${path.refutes}` : "a path";
}

// The paths of a witness to choose from, each a route of branch numbers from the root; a branch is
// made when the one that it is a branch of is opened.
class Tree {
  constructor(root, onchoose) {
    this.root = root;
    this.onchoose = onchoose;
    this.buttons = new Map();
    this.element = h("div", { class: "tree", role: "tree" }, this.#node(root, [], "the whole: "));
  }

  at(route) {
    return route.reduce((path, i) => path?.branches?.[i], this.root);
  }

  mark(route) {
    for (let depth = 0; depth < route.length; depth++) {
      this.buttons.get(route.slice(0, depth).join("."))?.open?.();
    }
    this.buttons.forEach(({ button }, key) => button.classList.toggle("chosen", key === route.join(".")));
  }

  #node(path, route, place) {
    const branches = path.branches ?? [];
    const steps = path.steps.length > 0 || path.loop !== null ? ` (${plural(path.steps.length, "step")}${path.loop !== null ? ", ↻" : ""})` : "";
    const button = h("button", { class: "path", title: claimText(path), onclick: (e) => { e.preventDefault(); this.onchoose(route); } },
      h("span", { class: "same" }, place), h("code", {}, claimText(path)), h("span", { class: "same" }, steps));
    if (branches.length === 0) {
      this.buttons.set(route.join("."), { button });
      return h("div", { class: "leaf" }, button);
    }
    const inner = h("div", { class: "inner" });
    const fill = (most) => {
      inner.replaceChildren(...branches.slice(0, most).map((b, i) => this.#node(b, [...route, i], `in state ${b.at} `)));
      if (branches.length > most) {
        inner.append(h("button", { onclick: () => fill(most * 10) }, `${branches.length - most} more`));
      }
    };
    const details = h("details", { ontoggle: () => { if (details.open && inner.firstChild === null) { fill(MOST_BRANCHES); } } },
      h("summary", {}, button), inner);
    const open = () => {
      details.open = true;
      if (inner.firstChild === null) {
        fill(MOST_BRANCHES);
      }
    };
    this.buttons.set(route.join("."), { button, open });
    if (route.length === 0) {
      open();
    }
    return details;
  }
}
