// The page of `plait check --html`: a row for each property, and its trace to walk along.

const PRINTED_ROWS = 1000;
const KEYS = [
  ["← → ↑ ↓", "step along the trace"], ["Home, End, Page ↑ ↓", "jump"], ["[ and ]", "the property before, the next one"],
  ["u", "up to the path that this is a branch of"], ["/", "filter the steps"], ["w", "watch an expression"], ["?", "these keys"],
];

class Report {
  // `runs` is what chooses another run, where there are several.
  constructor(data, card, number, runs) {
    this.data = data;
    this.card = card;
    this.number = number;
    this.runs = runs;
    this.chosen = null;
    this.route = [];
    this.replay = new Replay(card, {
      onmove: () => this.#remember(), onwatch: () => this.#remember(), onfork: (n) => this.#fork(n),
    });
    this.dialog = keysDialog(KEYS);
    this.rows = data.results.map((r, i) => this.#row(r, i));
    this.evidence = h("section", { class: "evidence", hidden: true });
    document.getElementById("app").replaceChildren(this.#header(), this.#table(), this.evidence, this.dialog);
    this.restore();
  }

  #header() {
    const count = (verdict) => this.data.results.filter((r) => r.verdict === verdict).length;
    const chips = [["true", "hold"], ["false", "violated"], ["unknown", "unknown"]].filter(([v]) => count(v) > 0)
      .map(([v, word]) => h("span", { class: `verdict ${v}` }, `${count(v)} ${v === "true" && count(v) === 1 ? "holds" : word}`));
    return h("header", {}, h("h1", {}, h("bdi", {}, this.data.model)), this.runs, chips, h("span", { class: "spacer" }),
      h("span", { class: "same" }, `Plait ${this.data.plait}`),
      h("button", { class: "quiet", title: "keys (?)", onclick: () => this.dialog.showModal() }, "?"), themeButton());
  }

  #table() {
    const heads = ["property", "question", "verdict", "engine", "seconds", "trace"].map((t) => h("th", {}, t));
    const notes = [...new Set(this.data.results.flatMap((r) => r.notes ?? []))].map((n) => h("p", { class: "note" }, `note: ${n}`));
    const problem = (this.card.problem ?? "").split("\n").map((line) => document.createTextNode(`${visible(line)}\n`));
    return h("section", { class: "properties" }, this.card.problem === null ? null : h("pre", { class: "wrong" }, problem),
      this.rows.length === 0 ? h("p", { class: "note" }, "No property was checked.")
        : h("table", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, this.rows)), notes);
  }

  #row(result, i) {
    const trace = result.witness === null ? "" : plural(result.witness.steps.length, "step");
    const choose = result.witness === null ? undefined : () => this.choose(i);
    return h("tr", { class: choose ? "choice" : "", onclick: choose },
      h("td", { class: "name" }, choose ? h("button", { class: "link" }, h("bdi", {}, result.name)) : h("bdi", {}, result.name)),
      h("td", { class: "question", title: this.card.questions[i] }, h("code", {}, this.card.questions[i])),
      h("td", {}, h("span", { class: `verdict ${result.verdict}` }, verdictText(result))),
      h("td", {}, result.engine), h("td", { class: "figure" }, result.seconds.toFixed(2)), h("td", { class: "figure" }, trace));
  }

  choose(i, route = [], number = undefined) {
    const result = this.data.results[i];
    if (result?.witness === null || result === undefined) {
      return;
    }
    if (i !== this.chosen) {
      this.chosen = i;
      this.#frame(result);
    }
    this.rows.forEach((row, k) => row.classList.toggle("chosen", k === i));
    const path = this.tree.at(route) ?? result.witness;
    this.route = path === result.witness ? [] : route;
    this.tree.mark(this.route);
    const moves = this.route.reduce((of, k) => of.branches[k], this.card.traces[i]);
    const trace = new Trace(this.card, path, moves);
    // Of a violation the end is what matters, of a run of many branches the beginning.
    const start = number ?? (path.branches?.length > 0 ? 0 : trace.length - 1);
    this.replay.show(trace, start, this.route.length === 0 ? "initial state" : "that state");
    this.closing.textContent = closingText(path) ?? "";
    this.still.textContent = this.#still(trace);
    this.#remember();
  }

  #frame(result) {
    this.tree = new Tree(result.witness, (route) => this.choose(this.chosen, route));
    this.closing = h("p", { class: "closing" });
    this.still = h("p", { class: "same still" });
    const word = result.verdict === "true" ? "holds" : "is violated";
    const why = result.explanation?.length > 0
      ? h("section", { class: "panel why" }, h("h3", {}, "Why"), explanationOf(result.explanation)) : null;
    const branching = (result.witness.branches ?? []).length > 0;
    this.replay.left.replaceChildren(...[this.replay.bar, branching ? this.tree.element : null,
      this.replay.timeline.element, this.closing, this.still, why].filter((x) => x !== null));
    this.evidence.hidden = false;
    this.evidence.replaceChildren(
      h("h2", {}, h("bdi", {}, result.name), ` ${word}: `, h("span", {}, evidenceText(result))), this.replay.element);
  }

  // Processes that have no lane.
  #still(trace) {
    const moving = new Set(trace.lanes());
    const others = this.card.processes.map((p) => p.name).filter((name) => !moving.has(name));
    const shown = others.slice(0, 12).join(", ") + (others.length > 12 ? `, and ${others.length - 12} more` : "");
    return others.length === 0 ? "" : visible(`These do not move: ${shown}.`);
  }

  #fork(number) {
    const path = this.tree.at(this.route);
    const i = path.branches.findIndex((b) => b.at === number);
    this.choose(this.chosen, [...this.route, i], 0);
  }

  key(event) {
    if (isTyping(event)) {
      if (event.key === "Escape") {
        event.target.blur();
      }
      return;
    }
    if (event.key === "?") {
      this.dialog.showModal();
    } else if (this.chosen !== null && event.key === "u" && this.route.length > 0) {
      const { at } = this.tree.at(this.route);
      this.choose(this.chosen, this.route.slice(0, -1), at);
    } else if (this.chosen !== null && (event.key === "[" || event.key === "]")) {
      this.#next(event.key === "]" ? 1 : -1);
    } else if (this.chosen !== null && !this.dialog.open) {
      this.replay.key(event);
    }
  }

  #next(direction) {
    const { results } = this.data;
    for (let i = this.chosen + direction; i >= 0 && i < results.length; i += direction) {
      if (results[i].witness !== null) {
        this.choose(i);
        return;
      }
    }
  }

  #remember() {
    if (this.chosen === null) {
      return;
    }
    const entries = [["p", this.data.results[this.chosen].name], ["s", this.replay.number]];
    if (this.runs !== null) {
      entries.unshift(["r", this.number]);
    }
    if (this.route.length > 0) {
      entries.push(["b", this.route.join(".")]);
    }
    this.replay.watches.forEach((w) => entries.push(["w", w.text]));
    writeFragment(entries);
  }

  restore() {
    const asked = readFragment();
    const { results } = this.data;
    let i = results.findIndex((r) => r.name === asked.get("p") && r.witness !== null);
    if (i < 0) {
      i = results.findIndex((r) => r.witness !== null && r.verdict === "false");
      i = i < 0 ? results.findIndex((r) => r.witness !== null) : i;
    }
    const number = /^\d{1,9}$/.test(asked.get("s") ?? "") ? Number(asked.get("s")) : undefined;
    const route = /^\d+(\.\d+)*$/.test(asked.get("b") ?? "") ? asked.get("b").split(".").map(Number) : [];
    const watches = asked.getAll("w");
    this.choose(i, route, number);
    if (i >= 0 && watches.join("\n") !== this.replay.watches.map((w) => w.text).join("\n")) {
      this.replay.watches = [];
      watches.forEach((text) => this.replay.addWatch(text));
    }
  }

  // On paper every trace is there, as a table.
  print() {
    const sections = this.data.results.map((result, i) => [result, i]).filter(([r]) => r.witness !== null).map(([result, i]) => {
      const trace = new Trace(this.card, result.witness, this.card.traces[i]);
      const rows = trace.rows.slice(0, PRINTED_ROWS).map((row, i) => h("tr", {},
        h("td", {}, `${trace.loop === i ? "↻ " : ""}${i}`), h("td", {}, row.lanes.join(", ")), h("td", {}, row.event === null ? "initial state" : this.card.actions.get(row.event) ?? row.event),
        h("td", {}, row.place === null ? "" : `line ${row.place.line}`),
        h("td", {}, row.changes.filter((c) => !c.inLane).map((c) => `${c.name}: ${this.card.text(c.name, c.before)} → ${this.card.text(c.name, c.value)}`).join(", "))));
      const cut = trace.length > PRINTED_ROWS ? h("p", {}, `and ${trace.length - PRINTED_ROWS} more steps`) : null;
      return h("section", {}, h("h2", {}, `${result.name}: ${verdictText(result)}, ${evidenceText(result)}`),
        h("table", {}, rows), cut, h("p", {}, closingText(result.witness) ?? ""),
        explanationOf(result.explanation ?? []));
    });
    this.printed?.remove();
    this.printed = h("div", { class: "printed" }, sections);
    document.getElementById("app").append(this.printed);
  }
}

const NO_CARD = { model: "", words: [], items: [], processes: [], lanes: [], actions: [], sources: [], questions: [] };

// The runs of a sweep have a page each, of which one is shown.
class Reports {
  constructor(data, cards) {
    this.runs = data.runs ?? [{ values: {}, document: data }];
    this.cards = cards;
    this.shown = null;
    document.addEventListener("keydown", (e) => this.shown.key(e));
    window.addEventListener("hashchange", () => this.#restore());
    window.addEventListener("beforeprint", () => this.shown.print());
    window.addEventListener("afterprint", () => this.shown.printed?.remove());
    this.model = data.model;
    this.plait = data.plait;
    this.#restore();
  }

  #restore() {
    const asked = readFragment().get("r") ?? "";
    const number = /^\d{1,6}$/.test(asked) && Number(asked) < this.runs.length ? Number(asked) : this.#first();
    if (number === this.shown?.number) {
      this.shown.restore();
    } else {
      this.#show(number);
    }
  }

  // The run to begin with: one with a violation, else one with answers.
  #first() {
    const results = this.runs.map((run) => run.document?.results ?? []);
    const bad = results.findIndex((some) => some.some((r) => r.verdict === "false"));
    return Math.max(0, bad < 0 ? results.findIndex((some) => some.length > 0) : bad);
  }

  #show(number) {
    const nothing = { model: this.model, plait: this.plait, results: [] };
    const card = new Card(this.cards[number] ?? NO_CARD);
    this.shown = new Report(this.runs[number]?.document ?? nothing, card, number, this.#choice(number));
  }

  #choice(number) {
    if (this.runs.length <= 1) {
      return null;
    }
    const words = this.runs.map((run, i) => h("option", { value: i, selected: i === number },
      Object.entries(run.values).map(([name, value]) => `${name}=${value}`).join(", ")));
    const choice = h("select", { "aria-label": "run", onchange: () => {
      history.replaceState(null, "", "#");
      this.#show(Number(choice.value));
    } }, words);
    return choice;
  }
}

new Reports(readData("plait-document"), readData("plait-cards"));
