// The page of `plait explore`: a walk through the model, whose whole path is in the address.

const WALK_KEYS = [
  ["1 … 9", "execute an event that can be"], ["r", "one random step"], ["← → ↑ ↓, Home, End", "move along the walk"],
  ["Backspace", "take the last step back"], ["z, y", "undo, redo"], ["/", "filter the steps"], ["w", "watch an expression"],
  ["?", "these keys"],
];
const SHORT_WAIT = 90;
const MOST_UNDO = 200;

class RequestError extends Error {}

async function ask(question, body) {
  let response;
  try {
    response = await fetch(question, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    });
  } catch {
    throw new RequestError("the explorer has ended: start it again with 'plait explore'");
  }
  const found = await response.json();
  if (!response.ok) {
    throw new RequestError(found.error);
  }
  return found;
}

// Most events of a path occur often: their names are in a table, and the steps are numbers.
function packPath(path) {
  const titles = new Map();
  const steps = path.map(([event, number]) => {
    if (!titles.has(event)) {
      titles.set(event, titles.size);
    }
    return titles.get(event).toString(36) + (number > 0 ? `~${number.toString(36)}` : "");
  });
  return JSON.stringify([[...titles.keys()], steps.join(".")]);
}

function unpackPath(text) {
  try {
    const [titles, steps] = JSON.parse(text);
    return steps === "" ? [] : steps.split(".").map((step) => {
      const [event, number] = step.split("~").map((n) => parseInt(n, 36));
      return [titles[event], number ?? 0];
    });
  } catch {
    return [];
  }
}

const sameStep = (a, b) => a[0] === b[0] && a[1] === b[1];

class Explorer {
  constructor(session, card) {
    this.session = session;
    this.card = card;
    this.path = [];
    this.steps = [];
    this.moves = { movers: [], messages: [] };
    this.before = [];
    this.after = [];
    this.turn = 0;
    this.tree = null;
    this.replay = new Replay(card, {
      onmove: (n) => { this.#remember(); this.#look(); }, onwatch: () => this.#remember(),
    });
    this.dialog = keysDialog(WALK_KEYS);
    this.#panels();
    document.getElementById("app").replaceChildren(this.#header(), this.#questions(), this.replay.element, this.dialog);
    document.addEventListener("keydown", (e) => this.#key(e));
    window.addEventListener("hashchange", () => this.#restore());
    this.#restore();
  }

  // --- what is on the page

  #header() {
    const button = (label, title, act) => h("button", { title, onclick: () => this.#try(act) }, label);
    this.undoButton = button("↶ undo", "undo (z)", () => this.undo());
    this.redoButton = button("↷ redo", "redo (y)", () => this.redo());
    this.many = h("input", { type: "number", min: "1", max: "1000", value: "20", class: "small", "aria-label": "random steps" });
    this.told = h("span", { class: "wrong", role: "alert" });
    return h("header", {}, h("h1", {}, h("bdi", {}, this.session.model)),
      button("restart", "back to the initial state", () => this.go([], 0)), this.undoButton, this.redoButton,
      button("random", "so many random steps (r: one)", () => this.random(Number(this.many.value))), this.many,
      this.told, h("span", { class: "spacer" }), h("span", { class: "same" }, `Plait ${this.session.plait}`),
      button("stop", "end the explorer", () => this.#stop()),
      h("button", { class: "quiet", title: "keys (?)", onclick: () => this.dialog.showModal() }, "?"), themeButton());
  }

  #questions() {
    this.question = h("input", { type: "text", class: "formula", list: "properties", spellcheck: "false", autocomplete: "off",
      placeholder: "a property, or a formula such as AG EF (x == 0)",
      onkeydown: (e) => { if (e.key === "Enter") { this.#try(() => this.check()); } } });
    this.seconds = h("input", { type: "number", min: "1", max: "600", value: "10", class: "small", "aria-label": "seconds" });
    this.answer = h("span", { class: "answer" });
    this.branches = h("div", {});
    this.ask = h("button", { onclick: () => this.#try(() => this.check()) }, "check");
    const names = h("datalist", { id: "properties" }, this.session.properties.map((p) =>
      h("option", { value: p.name }, p.question)));
    return h("section", { class: "asked" }, h("div", { class: "bar" }, this.question, names, "within", this.seconds, "s", this.ask, this.answer),
      this.branches);
  }

  #panels() {
    this.words = h("input", { type: "search", placeholder: "find events", spellcheck: "false", oninput: () => this.#look() });
    this.nextTitle = h("span", {}, "Next");
    this.options = h("div", { class: "options", tabindex: "0" });
    const next = h("section", { class: "panel next" }, h("h3", {}, this.nextTitle, this.words), this.options);
    this.around = h("div", { class: "around", tabindex: "0" });
    this.aroundTitle = h("span", {}, "Around this state");
    const graph = h("section", { class: "panel aroundPanel" }, h("h3", {}, this.aroundTitle), this.around);
    this.replay.right.prepend(next);
    this.replay.left.append(graph);
  }

  // --- the walk

  // Walks another path and looks at one of its states; `loop` is where a run goes back to.
  async go(path, at, { loop = null, keep = true } = {}) {
    const turn = ++this.turn;
    let same = 0;
    while (same < Math.min(path.length, this.path.length) && sameStep(path[same], this.path[same])) {
      same++;
    }
    const first = this.trace === undefined;
    const known = first ? 0 : same;
    let initial = this.initial;
    let steps = this.steps.slice(0, known);
    let moves = { movers: this.moves.movers.slice(0, known), messages: this.moves.messages.filter((m) => m.to <= known) };
    if (first || path.length > same) {
      const found = await ask("walk", { path, known });
      if (this.#isOutgrown(found) || turn !== this.turn) {
        return;
      }
      initial = first ? found.initial : initial;
      steps = [...steps, ...found.steps];
      moves = { movers: [...moves.movers, ...found.moves.movers], messages: found.moves.messages };
    }
    if (keep && !first) {
      this.before.push({ path: this.path, at: this.replay.number, loop: this.trace.loop });
      this.before.splice(0, this.before.length - MOST_UNDO);
      this.after = [];
    }
    this.initial = initial;
    const grows = !first && same === this.path.length && loop === null && this.trace.loop === null;
    if (grows) {
      steps.slice(same).forEach((step, i) => this.trace.push(step, moves.movers[same + i]));
      this.trace.messages = moves.messages;
    } else {
      this.trace = new Trace(this.card, { initial, steps, loop }, moves);
    }
    [this.path, this.steps, this.moves] = [path, steps, moves];
    if (grows) {
      this.replay.grown(at);
    } else {
      this.replay.show(this.trace, at);
    }
    this.undoButton.disabled = this.before.length === 0;
    this.redoButton.disabled = this.after.length === 0;
    this.#remember();
    this.#look();
  }

  get here() {
    return this.path.slice(0, this.replay.number);
  }

  step(event, number) {
    return this.go([...this.here, [event, number]], this.replay.number + 1);
  }

  async random(steps) {
    const count = Math.max(1, Math.min(1000, Math.floor(steps) || 1));
    const found = await ask("random", { path: this.here, steps: count });
    if (!this.#isOutgrown(found)) {
      await this.go(found.path, found.path.length);
    }
  }

  undo() {
    return this.#swap(this.before, this.after);
  }

  redo() {
    return this.#swap(this.after, this.before);
  }

  async #swap(from, to) {
    const wanted = from.pop();
    if (wanted !== undefined) {
      to.push({ path: this.path, at: this.replay.number, loop: this.trace.loop });
      await this.go(wanted.path, wanted.at, { loop: wanted.loop, keep: false });
    }
  }

  // --- where it is

  #look() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.#try(() => this.#lookNow()), SHORT_WAIT);
  }

  async #lookNow() {
    const turn = (this.looks = (this.looks ?? 0) + 1);
    const path = this.here;
    this.options.classList.add("old");
    const found = await ask("here", { path, words: this.words.value });
    if (turn !== this.looks || this.#isOutgrown(found)) {
      return;
    }
    this.#showOptions(found);
    const graph = await ask("around", { path });
    if (turn === this.looks) {
      this.aroundTitle.textContent = `Around this state: ${graph.complete ? "" : "a part of "}the next ${plural(graph.depth, "step")}`;
      const drawing = drawGraph(graph, (to) => this.#try(() => this.#goNear(to)));
      this.around.replaceChildren(drawing);
      const here = drawing.querySelector(".here");
      this.around.scrollLeft = here.getBBox().x - this.around.clientWidth / 2 + 60;
      this.around.scrollTop = here.getBBox().y - this.around.clientHeight / 2 + 20;
    }
  }

  // A state along the walk is only looked at, any other is walked to.
  #goNear(to) {
    const along = to.length <= this.path.length && to.every((step, i) => sameStep(step, this.path[i]));
    return along ? this.replay.select(to.length) : this.go(to, to.length);
  }

  #showOptions(found) {
    this.options.classList.remove("old");
    this.current = found.enabled;
    const count = found.count > found.enabled.length ? `${found.enabled.length} of ${found.count.toLocaleString("en")} shown` : String(found.count);
    this.nextTitle.textContent = `Next: ${count}${found.complete ? "" : ", and there was no time to look at all events"}`;
    const number = this.replay.number;
    const taken = this.path[number];
    const values = this.trace.values(number);
    const rows = found.enabled.map((o, i) => {
      const changed = Object.entries(o.changes).map(([name, value]) =>
        ({ name, before: values.get(name), value, mover: this.card.pcs.get(name) }));
      changed.sort((a, b) => (a.mover !== undefined) - (b.mover !== undefined));
      const changes = changed.slice(0, 12).map((c) => changeText(this.card, c));
      const along = taken !== undefined && sameStep(taken, [o.event, o.number]);
      return h("button", { class: along ? "option along" : "option", title: along ? "the walk goes on here" : "execute it",
        onclick: () => this.#try(() => (along ? this.replay.select(number + 1) : this.step(o.event, o.number))) },
      h("span", { class: "key" }, i < 9 ? String(i + 1) : ""), this.#named(o.event, o.process),
      h("span", { class: "changes" }, changes.length > 0 ? changes : h("span", { class: "same" }, "nothing changes")));
    });
    const faults = found.faults.map((f) => h("div", { class: "fault" }, h("bdi", { class: "event" }, f.event), " ", h("span", { class: "wrong" }, f.text)));
    if (rows.length === 0 && faults.length === 0) {
      rows.push(h("p", { class: "wrong" }, this.words.value.trim() !== "" ? "no such event can be executed"
        : found.complete ? "a deadlock: no event can be executed" : "none was found in time"));
    }
    this.options.replaceChildren(...rows, ...faults, this.#blocked(found));
  }

  // What an event does, after who does it; the name of the event is in its tooltip.
  #named(event, process) {
    const action = this.card.actions.get(event);
    return action === undefined ? h("bdi", { class: "event" }, event)
      : h("bdi", { class: "event", title: event }, process ? h("span", { class: "who" }, `${process} `) : null, action);
  }

  #blocked(found) {
    if (found.blocked === null) {
      return h("p", { class: "same" }, "There are too many events to say why others cannot be executed.");
    }
    if (found.blocked.length === 0) {
      return h("p", { class: "same" }, "Every event can be executed.");
    }
    const rows = found.blocked.map((b) => h("tr", {}, h("td", {}, this.#named(b.event, b.process)),
      h("td", {}, b.reasons.map((r) => h("div", {}, r)))));
    const more = found.more > 0 ? h("p", { class: "same" }, `and ${found.more.toLocaleString("en")} more`) : null;
    this.opened ??= true;
    const details = h("details", { class: "blocked", open: this.opened,
      ontoggle: () => { this.opened = details.open; } },
    h("summary", {}, `not enabled: ${(found.blocked.length + found.more).toLocaleString("en")}`), h("table", {}, rows), more);
    return details;
  }

  // --- properties

  async check() {
    this.ask.disabled = true;
    this.answer.replaceChildren("…");
    this.branches.replaceChildren();
    try {
      const { number, result } = await ask("check", { question: this.question.value, seconds: Number(this.seconds.value) || 10 });
      const load = result.witness === null ? null
        : h("button", { title: "walk along it", onclick: () => this.#try(() => this.load(number, [])) }, `load the ${result.witness.loop === null ? "trace" : "run"}`);
      const told = result.witness === null ? `${result.engine}, ${result.seconds.toFixed(2)} s`
        : `${evidenceText(result)}  (${result.engine}, ${result.seconds.toFixed(2)} s)`;
      this.answer.replaceChildren(h("span", { class: `verdict ${result.verdict}` }, verdictText(result)), " ", h("span", { class: "same" }, told), " ", ...(load ? [load] : []));
      if ((result.witness?.branches ?? []).length > 0) {
        const tree = new Tree(result.witness, (route) => this.#try(async () => {
          await this.load(number, route);
          tree.mark(route);
        }));
        this.branches.replaceChildren(tree.element);
      }
      if (load !== null && result.verdict === "false") {
        await this.load(number, []);
      }
    } catch (failure) {
      this.answer.replaceChildren();
      throw failure;
    } finally {
      this.ask.disabled = false;
    }
  }

  async load(number, route) {
    const found = await ask("load", { number, route });
    if (!this.#isOutgrown(found, found)) {
      await this.go(found.path, found.path.length, { loop: found.loop });
    }
  }

  // --- the address

  #remember() {
    const entries = [["t", packPath(this.path)], ["s", this.replay.number]];
    if (this.trace.loop !== null) {
      entries.push(["l", this.trace.loop]);
    }
    this.replay.watches.forEach((w) => entries.push(["w", w.text]));
    writeFragment(entries);
  }

  #restore() {
    const asked = readFragment();
    const path = unpackPath(asked.get("t") ?? "[[],\"\"]");
    const number = (text, other) => (/^\d{1,9}$/.test(text ?? "") ? Number(text) : other);
    const loop = asked.has("l") ? number(asked.get("l"), null) : null;
    this.#try(async () => {
      try {
        await this.go(path, number(asked.get("s"), path.length), { loop, keep: this.trace !== undefined });
      } catch (failure) {
        // A path of another model: begin anew, and say so.
        if (this.trace === undefined) {
          await this.go([], 0);
        }
        throw failure;
      }
      if (asked.getAll("w").join("\n") !== this.replay.watches.map((w) => w.text).join("\n")) {
        this.replay.watches = [];
        asked.getAll("w").forEach((text) => this.replay.addWatch(text));
      }
    });
  }

  // The model was read again with room for more processes: this page knows too few of them.
  #isOutgrown(found, walked = null) {
    if (found.room === this.session.room) {
      return false;
    }
    if (walked !== null) {
      writeFragment([["t", packPath(walked.path)], ["s", walked.path.length]]);
    }
    location.reload();
    return true;
  }

  async #try(act) {
    this.told.textContent = "";
    try {
      await act();
    } catch (failure) {
      if (!(failure instanceof RequestError)) {
        throw failure;
      }
      this.told.textContent = visible(failure.message.split("\n")[0]);
      this.told.title = visible(failure.message);
    }
  }

  async #stop() {
    await ask("stop", {});
    this.told.textContent = "the explorer has ended";
  }

  #key(event) {
    if (isTyping(event)) {
      if (event.key === "Escape") {
        event.target.blur();
      }
      return;
    }
    if (this.dialog.open) {
      return;
    }
    const option = /^[1-9]$/.test(event.key) ? this.current?.[Number(event.key) - 1] : undefined;
    const acts = {
      "?": () => this.dialog.showModal(), r: () => this.random(1), z: () => this.undo(), y: () => this.redo(),
      Backspace: () => this.go(this.path.slice(0, Math.max(0, this.replay.number - 1)), Math.max(0, this.replay.number - 1)),
    };
    if (option !== undefined) {
      this.#try(() => this.step(option.event, option.number));
    } else if (Object.hasOwn(acts, event.key)) {
      event.preventDefault();
      this.#try(acts[event.key]);
    } else {
      this.replay.key(event);
    }
  }
}

new Explorer(readData("plait-session"), new Card(readData("plait-card")));
