// The steps of a trace, one a row, with a lane for each process. Only the rows in sight are
// elements of the page, so that a trace of 10,000 steps scrolls as one of ten.

const ROW = 26;
const SPARE = 12;
const NUMBERS = 62;
const COLOURS = 8;

class Timeline {
  constructor(card, facts) {
    this.card = card;
    this.facts = facts;
    this.trace = null;
    this.selected = 0;
    this.shown = [];
    this.columns = [];
    this.head = h("div", { class: "row head" });
    this.rows = h("div", { class: "rows" });
    this.drawing = svg("svg", { class: "lanes", "aria-hidden": "true" });
    this.space = h("div", { class: "space" }, this.rows, this.drawing);
    this.element = h("div", { class: "timeline", tabindex: "0", role: "listbox", "aria-label": "steps of the trace" },
      this.head, this.space);
    this.element.addEventListener("scroll", () => this.#soon());
    new ResizeObserver(() => this.#soon()).observe(this.element);
  }

  // Shows a trace: `shown` are the numbers of the rows that a filter leaves, `columns` the watches.
  show(trace, shown, columns) {
    const another = trace !== this.trace;
    this.trace = trace;
    this.shown = shown;
    this.columns = columns;
    this.places = shown.length === trace.length ? null : new Map(shown.map((n, i) => [n, i]));
    if (another || this.counted !== trace.length) {
      this.lanes = trace.lanes();
      this.counted = trace.length;
    }
    this.#measure();
    this.#header();
    this.draw();
  }

  select(number) {
    this.selected = number;
    const place = this.#place(number);
    if (place !== undefined) {
      const top = place * ROW;
      const room = this.element.clientHeight - this.head.offsetHeight;
      if (top < this.element.scrollTop) {
        this.element.scrollTop = top;
      } else if (top + ROW > this.element.scrollTop + room) {
        this.element.scrollTop = top + ROW - room;
      }
    }
    this.draw();
  }

  #place(number) {
    return this.places === null ? number : this.places.get(number);
  }

  #measure() {
    const longest = Math.max(0, ...this.lanes.map((name) => name.length));
    const most = this.lanes.length > 8 ? 74 : 120;
    this.lane = Math.min(most, Math.max(56, longest * 7.1 + 10));
    this.width = this.lanes.length * this.lane;
    const widths = this.columns.map((c) => Math.min(150, Math.max(64, c.text.length * 7 + 30)));
    const watches = widths.map((w) => `${w}px`).join(" ");
    const titles = this.trace.rows.slice(0, 500).map((r) => this.#title(r).length);
    const event = Math.min(270, Math.max(112, Math.max(...titles) * 7.3 + 16));
    const columns = `${NUMBERS}px ${this.width}px ${event}px ${watches} minmax(250px, 1fr)`;
    this.element.style.setProperty("--columns", columns);
    const least = NUMBERS + this.width + event + widths.reduce((a, b) => a + b, 0) + 260;
    this.space.style.height = `${this.shown.length * ROW}px`;
    this.space.style.minWidth = this.head.style.minWidth = `${least}px`;
  }

  #header() {
    const lanes = this.lanes.map((name, i) => {
      const head = h("button", {
        class: `lane colour${i % COLOURS}`, title: `${name}: show its steps only`,
        onclick: () => this.facts.onlane(name),
      }, name);
      head.style.width = `${this.lane}px`;
      return head;
    });
    const watches = this.columns.map((column, i) => h("span", { class: "watch", title: column.text },
      h("code", {}, column.text),
      h("button", { class: "quiet", title: "remove this watch", onclick: () => this.facts.onunwatch(i) }, "×")));
    this.head.replaceChildren(h("span", { class: "number" }, "#"), h("span", { class: "lanesHead" }, lanes),
      h("span", {}, "event"), ...watches, h("span", {}, "what changed"));
  }

  #soon() {
    this.waiting ??= requestAnimationFrame(() => {
      this.waiting = undefined;
      this.draw();
    });
  }

  draw() {
    if (this.trace === null) {
      return;
    }
    const first = Math.max(0, Math.floor(this.element.scrollTop / ROW) - SPARE);
    const count = Math.ceil((this.element.clientHeight || 600) / ROW) + 2 * SPARE;
    const end = Math.min(this.shown.length, first + count);
    const rows = [];
    for (let place = first; place < end; place++) {
      rows.push(this.#row(this.shown[place], place));
    }
    this.rows.replaceChildren(...rows);
    this.#drawLanes(first, end);
  }

  #row(number, place) {
    const { trace } = this;
    const row = trace.rows[number];
    const looping = trace.loop !== null && number >= trace.loop;
    const forks = trace.branches.filter((b) => b.at === number).length;
    const marks = [
      forks > 0 ? h("button", { class: "fork", title: `${plural(forks, "branch", "branches")} from here`,
        onclick: (e) => { e.stopPropagation(); this.facts.onfork(number); } }, "⑂") : null,
      number === trace.loop ? h("span", { class: "entry", title: "the loop begins here" }, "↻") : null,
    ];
    const classes = ["row", number === this.selected ? "selected" : "", looping ? "looping" : ""];
    const element = h("div", {
      class: classes.join(" "), role: "option", "aria-selected": String(number === this.selected),
      onclick: () => this.facts.onselect(number),
    },
    h("span", { class: "number" }, marks, String(number)),
    h("span", {}),
    h("span", { class: "event", title: row.event ?? "" }, h("bdi", {}, this.#title(row))),
    ...this.columns.map((column) => watchCell(column, number)),
    this.#changes(row, number));
    element.style.top = `${place * ROW}px`;
    return element;
  }

  #title(row) {
    return row.event === null ? this.facts.first ?? "initial state" : this.card.actions.get(row.event) ?? row.event;
  }

  #changes(row, number) {
    if (number === 0) {
      return h("span", { class: "changes" });
    }
    if (row.changes.length === 0) {
      return h("span", { class: "changes same" }, "nothing changes");
    }
    const shown = row.changes.filter((c) => !c.inLane);
    const parts = shown.slice(0, 12).map((c) => changeText(this.card, c));
    const more = shown.length > 12 ? h("span", { class: "same" }, `and ${shown.length - 12} more`) : null;
    const whole = row.changes.slice(0, 60).map((c) =>
      `${c.name}: ${this.card.text(c.name, c.before)} → ${this.card.text(c.name, c.value)}`);
    return h("span", { class: "changes", title: whole.join(", ") }, parts, more);
  }

  #drawLanes(first, end) {
    const { trace } = this;
    const height = (end - first) * ROW;
    const y = (place) => (place - first + 0.5) * ROW;
    const x = (name) => NUMBERS + (this.lanes.indexOf(name) + 0.5) * this.lane;
    const marks = [];
    const above = [];
    for (const [i, name] of this.lanes.entries()) {
      marks.push(svg("line", { class: `life colour${i % COLOURS}`, x1: x(name), x2: x(name), y1: 0, y2: height }));
    }
    for (const message of trace.messages) {
      const [from, to] = [this.#place(message.from), this.#place(message.to)];
      if (from === undefined || to === undefined) {
        continue;
      }
      if (to >= first && from < end) {
        const strong = message.from === this.selected || message.to === this.selected;
        const ends = [x(message.source), y(from), x(message.target), y(to)];
        marks.push(arrow(...ends, strong));
        if (strong) {
          above.push(arrowLabel(...ends, message.text));
        }
      }
    }
    for (let place = first; place < end; place++) {
      const row = trace.rows[this.shown[place]];
      if (row.lanes.length > 1) {
        row.lanes.slice(1).forEach((name) =>
          marks.push(arrow(x(row.lanes[0]), y(place), x(name), y(place), this.shown[place] === this.selected, row.meets)));
      }
      row.lanes.forEach((name) => marks.push(this.#pill(name, row, x(name), y(place))));
    }
    if (trace.loop !== null && this.places === null) {
      marks.push(...this.#bracket(first, end, y));
    }
    this.drawing.setAttribute("width", NUMBERS + this.width);
    this.drawing.setAttribute("height", Math.max(0, height));
    this.drawing.style.top = `${first * ROW}px`;
    this.drawing.replaceChildren(...marks, ...above);
  }

  // Where the process of a lane is after the step.
  #pill(name, row, x, y) {
    const colour = `colour${this.lanes.indexOf(name) % COLOURS}`;
    const moved = row.changes.find((c) => c.mover === name);
    const room = Math.floor((this.lane - 16) / 6.6);
    if (moved === undefined || room < 2) {
      return svg("circle", { class: `move ${colour}`, cx: x, cy: y, r: 5 });
    }
    const whole = visible(this.card.text(moved.name, moved.value));
    const text = [...whole].length > room ? `${[...whole].slice(0, room - 1).join("")}…` : whole;
    const width = Math.max(18, [...text].length * 6.6 + 10);
    return svg("g", { class: `move ${colour}` },
      svg("rect", { x: x - width / 2, y: y - 8.5, width, height: 17, rx: 8.5 }),
      svg("text", { x, y: y + 4, "text-anchor": "middle" }, text));
  }

  // The loop of a lasso, from its last state back to where it begins.
  #bracket(first, end, y) {
    const { loop, length } = this.trace;
    const [top, bottom] = [y(loop), y(length - 1)];
    if (loop >= end || loop === length - 1) {
      return [];
    }
    return [
      svg("path", { class: "loop", d: `M 16 ${bottom} H 6 V ${top} H 14` }),
      svg("path", { class: "loopHead", d: `M 18 ${top} l -6 -4 v 8 z` }),
    ];
  }
}

function arrow(x1, y1, x2, y2, strong, directed = true) {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  // It ends beside the mark of the receiver.
  const short = Math.abs(dx) > 40 ? 14 : 9;
  const [ex, ey] = [x2 - ux * short, y2 - uy * short];
  const head = `M ${ex} ${ey} L ${ex - 7 * ux + 3.5 * uy} ${ey - 7 * uy - 3.5 * ux} ` +
    `L ${ex - 7 * ux - 3.5 * uy} ${ey - 7 * uy + 3.5 * ux} z`;
  return svg("g", { class: strong ? "message strong" : "message" },
    svg("line", { x1, y1, x2: directed ? ex : x2, y2: directed ? ey : y2 }), directed ? svg("path", { d: head }) : null);
}

// What a message says, where it does not hide who sends it.
function arrowLabel(x1, y1, x2, y2, text) {
  const [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2 - 3];
  return svg("text", { class: "label", x, y, "text-anchor": "middle" }, text);
}

function changeText(card, change) {
  return h("span", { class: change.mover === undefined ? "change" : "change location" },
    h("bdi", { class: "name" }, change.name), " ",
    h("bdi", { class: "old" }, card.text(change.name, change.before)), " → ",
    h("bdi", { class: "new" }, card.text(change.name, change.value)));
}

function watchCell(column, number) {
  const value = column.values[number];
  const text = watchText(value);
  const changed = number > 0 && watchText(column.values[number - 1]) !== text;
  return h("span", { class: `watch ${value === true ? "yes" : value === false ? "no" : ""} ${changed ? "changed" : ""}`, title: text },
    text);
}

function watchText(value) {
  if (value === null || value === undefined) {
    return "undefined";
  }
  return Array.isArray(value) ? `[${value.join(", ")}]` : String(value);
}
