// A trace to walk along: steps in lanes, the source, the state, a filter and watch expressions.

class Replay {
  // `facts.onmove(number)` is called when another state is looked at, `facts.onfork(number)` when
  // the branches of a state are asked for, `facts.onwatch()` when the watches change.
  constructor(card, facts) {
    this.card = card;
    this.facts = facts;
    this.watches = [];
    this.only = { lane: null, group: null };
    this.number = 0;
    this.timeline = new Timeline(card, {
      onselect: (n) => this.select(n),
      onlane: (name) => this.filterBy("lane", name),
      onfork: (n) => facts.onfork?.(n),
      onunwatch: (i) => this.unwatch(i),
    });
    this.source = new SourcePanel(card);
    this.state = new StatePanel(card, (group) => this.filterBy("group", group));
    this.#controls();
    this.left = h("div", { class: "left" }, this.bar, this.timeline.element);
    this.right = h("div", { class: "right" }, this.source.element, this.state.element);
    this.element = h("div", { class: "replay" }, this.left, this.right);
  }

  #controls() {
    const button = (label, title, to) => h("button", { title, onclick: () => this.select(to()) }, label);
    this.position = h("span", { class: "position", "aria-live": "polite" });
    this.filter = h("input", { type: "search", placeholder: "filter steps  (/)", spellcheck: "false",
      title: "words in events, processes, changed variables", oninput: () => this.refresh() });
    this.watch = h("input", { type: "text", placeholder: "watch, such as queue[0] + x == 3  (w)", spellcheck: "false",
      list: "names", autocomplete: "off", class: "watchInput",
      onkeydown: (e) => { if (e.key === "Enter") { this.addWatch(this.watch.value); } },
      oninput: () => this.#tell("") });
    this.names = h("datalist", { id: "names" });
    this.chips = h("span", { class: "chips" });
    this.message = h("span", { class: "wrong", role: "alert" });
    this.bar = h("div", { class: "bar" },
      button("|◀", "first state (Home)", () => 0),
      button("◀", "step back (←)", () => this.#neighbour(-1)),
      button("▶", "step (→)", () => this.#neighbour(1)),
      button("▶|", "last state (End)", () => this.trace.length - 1),
      this.position, this.filter, this.watch, this.names, this.chips, this.message);
  }

  show(trace, number = 0, first = undefined) {
    this.trace = trace;
    this.timeline.facts.first = first;
    if (this.namesOf !== trace.names) {
      this.namesOf = trace.names;
      this.names.replaceChildren(...trace.names.slice(0, 2000).map((n) => h("option", { value: n })));
    }
    this.watches.forEach((w) => this.#evaluate(w));
    this.only = { lane: null, group: null };
    this.filter.value = "";
    this.number = Math.min(number, trace.length - 1);
    this.refresh();
  }

  // The trace has become longer.
  grown(number) {
    this.watches.forEach((w) => this.#evaluate(w));
    this.number = number;
    this.refresh();
  }

  select(number) {
    const next = Math.max(0, Math.min(this.trace.length - 1, number));
    const moved = next !== this.number;
    this.number = next;
    this.timeline.select(next);
    this.#beside();
    if (moved) {
      this.facts.onmove?.(next);
    }
  }

  refresh() {
    const wanted = this.filter.value.toLowerCase().split(/\s+/).filter((w) => w !== "");
    this.shown = [];
    this.trace.rows.forEach((row, i) => {
      if (this.#passes(row, wanted) || (i === 0 && wanted.length === 0 && this.only.lane === null && this.only.group === null)) {
        this.shown.push(i);
      }
    });
    this.timeline.show(this.trace, this.shown, this.watches);
    this.timeline.select(this.number);
    const chip = (key, text) => h("button", { class: "chip", title: "show all steps again",
      onclick: () => this.filterBy(key, null) }, `${text} ×`);
    this.chips.replaceChildren(...[
      this.only.lane === null ? null : chip("lane", this.only.lane),
      this.only.group === null ? null : chip("group", this.only.group.title),
    ].filter((c) => c !== null));
    this.#beside();
  }

  #passes(row, wanted) {
    if (this.only.lane !== null && !row.lanes.includes(this.only.lane)) {
      return false;
    }
    if (this.only.group !== null && !row.changes.some((c) => this.only.group.names.includes(c.name))) {
      return false;
    }
    if (wanted.length === 0) {
      return true;
    }
    const words = [row.event ?? "", ...row.lanes, ...row.changes.map((c) => c.name)].map((w) => w.toLowerCase());
    return wanted.every((w) => words.some((text) => text.includes(w)));
  }

  filterBy(key, value) {
    this.only[key] = this.only[key] === value ? null : value;
    this.refresh();
  }

  #beside() {
    const filtered = this.shown.length < this.trace.length ? `, ${this.shown.length.toLocaleString("en")} shown` : "";
    this.position.textContent = `state ${this.number.toLocaleString("en")} of ${(this.trace.length - 1).toLocaleString("en")}${filtered}`;
    this.source.show(this.trace, this.number);
    this.state.show(this.trace, this.number);
  }

  #neighbour(direction) {
    if (this.shown.length === this.trace.length) {
      return this.number + direction;
    }
    const next = direction > 0 ? this.shown.find((n) => n > this.number) : this.shown.findLast((n) => n < this.number);
    return next ?? this.number;
  }

  addWatch(text) {
    if (text.trim() === "") {
      return;
    }
    const watch = { text: text.trim(), values: [], of: null };
    if (this.#evaluate(watch)) {
      this.watches.push(watch);
      this.watch.value = "";
      this.timeline.show(this.trace, this.shown, this.watches);
      this.facts.onwatch?.();
    }
  }

  unwatch(at) {
    this.watches.splice(at, 1);
    this.timeline.show(this.trace, this.shown, this.watches);
    this.facts.onwatch?.();
  }

  // The value in every state; of a trace that has grown, in the new ones.
  #evaluate(watch) {
    try {
      if (watch.of !== this.trace) {
        watch.of = this.trace;
        watch.values = [];
        watch.value = compileExpression(watch.text, scopeOf(this.trace));
      }
      this.trace.each(watch.values.length, (values) => watch.values.push(watch.value(values)));
      return true;
    } catch (failure) {
      if (!(failure instanceof ExpressionError)) {
        throw failure;
      }
      watch.values = this.trace.rows.map(() => null);
      this.#tell(failure.message);
      return false;
    }
  }

  #tell(message) {
    this.message.textContent = visible(message);
  }

  // Keys that move along the trace; whether the key was one.
  key(event) {
    const page = Math.max(1, Math.floor(this.timeline.element.clientHeight / ROW) - 2);
    const moves = {
      ArrowDown: () => this.#neighbour(1), ArrowRight: () => this.#neighbour(1), j: () => this.#neighbour(1),
      ArrowUp: () => this.#neighbour(-1), ArrowLeft: () => this.#neighbour(-1), k: () => this.#neighbour(-1),
      Home: () => 0, End: () => this.trace.length - 1,
      PageDown: () => this.number + page, PageUp: () => this.number - page,
    };
    if (Object.hasOwn(moves, event.key)) {
      this.select(moves[event.key]());
    } else if (event.key === "/") {
      this.filter.focus();
    } else if (event.key === "w") {
      this.watch.focus();
    } else {
      return false;
    }
    event.preventDefault();
    return true;
  }
}
