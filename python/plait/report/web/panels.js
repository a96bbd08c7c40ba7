// What stands beside the steps: the source with the line of the current step, and the values in the
// current state.

const MOST_ITEMS = 400;

class SourcePanel {
  constructor(card) {
    this.card = card;
    this.title = h("h3", {}, "Source");
    this.text = h("div", { class: "source", tabindex: "0" });
    this.element = h("section", { class: "panel" }, this.title, this.text);
    this.lines = new Map();
    this.marked = [];
  }

  show(trace, number) {
    const row = trace.rows[number];
    const place = row.place ?? this.#latest(trace, number);
    if (place === null || !this.card.sources.has(place.source)) {
      this.element.hidden = true;
      return;
    }
    this.element.hidden = false;
    if (this.shown !== place.source) {
      this.#write(place.source);
    }
    this.marked.forEach((line) => line.classList.remove("current", "before"));
    this.marked.forEach((line) => line.querySelectorAll(".dot").forEach((d) => d.remove()));
    this.marked = [];
    const current = this.lines.get(place.line);
    if (current !== undefined) {
      current.classList.add(row.place === null ? "before" : "current");
      this.marked.push(current);
      scrollWithin(this.text, current);
    }
    this.#markLanes(trace, number);
  }

  #latest(trace, number) {
    const near = trace.rows.slice(number).find((r) => r.place !== null) ??
      trace.rows.slice(0, number).findLast((r) => r.place !== null);
    return near?.place ?? null;
  }

  #write(name) {
    this.shown = name;
    this.title.replaceChildren("Source ", h("bdi", { class: "same" }, name));
    this.lines = new Map();
    let before = 0;
    const found = [];
    for (const [number, text] of this.card.sources.get(name).lines) {
      if (number !== before + 1) {
        found.push(h("div", { class: "gap" }, "⋮"));
      }
      before = number;
      const line = h("div", { class: "line" }, h("span", { class: "no" }, String(number)), h("code", {}, text || " "));
      this.lines.set(number, line);
      found.push(line);
    }
    this.text.replaceChildren(...found);
  }

  // A dot in the colour of its lane where each process has moved last.
  #markLanes(trace, number) {
    const lanes = trace.lanes();
    const left = new Set(lanes);
    for (let i = number; i > 0 && left.size > 0 && number - i < 2000; i--) {
      const { lanes: moving, place } = trace.rows[i];
      for (const name of moving) {
        if (left.delete(name) && place !== null && place.source === this.shown) {
          const line = this.lines.get(place.line);
          const colour = `colour${lanes.indexOf(name) % COLOURS}`;
          line?.firstChild.append(h("i", { class: `dot ${colour}`, title: `${name} moved here last` }));
          if (line !== undefined) {
            this.marked.push(line);
          }
        }
      }
    }
  }
}

function scrollWithin(box, element) {
  const top = element.offsetTop - box.offsetTop;
  if (top < box.scrollTop + 20 || top > box.scrollTop + box.clientHeight - 50) {
    box.scrollTop = top - box.clientHeight / 2;
  }
}

class StatePanel {
  constructor(card, onvariable) {
    this.card = card;
    this.onvariable = onvariable;
    this.zeros = null;
    this.toggle = h("button", { class: "quiet", onclick: () => {
      this.zeros = !this.zeros;
      this.show(this.trace, this.number);
    } });
    this.title = h("span", {}, "State");
    this.body = h("div", { class: "values", tabindex: "0" });
    this.element = h("section", { class: "panel" }, h("h3", {}, this.title, this.toggle), this.body);
  }

  show(trace, number) {
    [this.trace, this.number] = [trace, number];
    const values = trace.values(number);
    this.zeros ??= values.size <= 80;
    this.title.textContent = `State ${number}`;
    this.toggle.textContent = this.zeros ? "hide zeros" : "show zeros";
    const changed = new Map(trace.rows[number].changes.map((c) => [c.name, c]));
    const groups = grouped(trace.names).filter((g) => this.zeros ||
      g.names.some((n) => changed.has(n) || !isZero(values.get(n))));
    const rows = groups.slice(0, MOST_ITEMS).map((g) => this.#row(g, values, changed));
    if (groups.length > MOST_ITEMS) {
      rows.push(h("p", { class: "same" }, `and ${groups.length - MOST_ITEMS} more`));
    }
    this.body.replaceChildren(...rows);
    const moved = this.body.querySelector(".moved");
    if (moved !== null) {
      scrollWithin(this.body, moved);
    }
  }

  #row(group, values, changed) {
    const moved = group.names.some((n) => changed.has(n));
    const name = h("button", { class: "name", title: `${group.title}: show the steps that change it`,
      onclick: () => this.onvariable(group) }, h("bdi", {}, group.title));
    const cells = group.names.slice(0, 200).map((n) => {
      const change = changed.get(n);
      const title = change === undefined ? n : `${n}: ${this.card.text(n, change.before)} → ${this.card.text(n, change.value)}`;
      return h("bdi", { class: change === undefined ? "cell" : "cell new", title }, this.card.text(n, values.get(n)));
    });
    const lane = this.card.pcs.get(group.names[0]);
    return h("div", { class: moved ? "item moved" : "item" }, name,
      h("span", { class: lane === undefined ? "cells" : "cells location" }, cells,
        group.names.length > 200 ? "…" : null));
  }
}

function isZero(value) {
  return value === 0 || (Array.isArray(value) && value.length === 0);
}

// The cells of an array are one item.
function grouped(names) {
  const groups = [];
  for (const name of names) {
    const match = /^([^]*)\[(\d+)\]$/.exec(name);
    const last = groups[groups.length - 1];
    if (match !== null && last?.base === match[1] && last.names.length === Number(match[2])) {
      last.names.push(name);
      last.title = `${last.base}[0..${match[2]}]`;
    } else {
      groups.push({ base: match !== null && match[2] === "0" ? match[1] : null, title: name, names: [name] });
    }
  }
  return groups;
}
