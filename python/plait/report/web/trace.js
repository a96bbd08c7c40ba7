// A trace as data: what every step changes, the values in every state, who moves, and the messages
// that processes send each other.

const KEY_EVERY = 128;

// What a page knows of the model besides the answers: names of values, queues, processes, sources.
class Card {
  constructor(data) {
    this.model = data.model;
    this.words = data.words.map((pairs) => new Map(pairs));
    this.items = new Map(data.items.map((item) => [item.name, item]));
    this.processes = data.processes;
    this.pcs = new Map(data.processes.filter((p) => p.pc !== null).map((p) => [p.pc, p.name]));
    this.lanes = new Map(data.lanes.map((name, i) => [name, i]));
    this.traces = data.traces ?? [];
    this.actions = new Map(data.actions);
    this.questions = data.questions;
    this.problem = data.problem ?? null;
    this.sources = new Map(data.sources.map((s) => [s.name, s]));
  }

  // The value of an item as a person reads it.
  text(name, value) {
    const item = this.items.get(name);
    if (!Array.isArray(value)) {
      return value === undefined ? "?" : this.#word(item?.words, value);
    }
    return `[${messagesOf(value, item?.width ?? 1).map((m) => this.message(name, m)).join(", ")}]`;
  }

  message(name, fields) {
    const item = this.items.get(name);
    const shown = fields.map((v, k) => this.#word(item?.fields?.[k], v));
    return shown.length === 1 ? shown[0] : `(${shown.join(", ")})`;
  }

  #word(number, value) {
    const words = number === undefined || number === null ? undefined : this.words[number];
    return words?.get(value) ?? String(value);
  }

  // From the names of the values of an item to the values.
  wordsOf(name) {
    const number = this.items.get(name)?.words;
    return number === undefined ? undefined
      : new Map([...this.words[number]].map(([value, word]) => [word, value]));
  }
}

function messagesOf(flat, width) {
  const found = [];
  for (let i = 0; i < flat.length; i += width) {
    found.push(flat.slice(i, i + width));
  }
  return found;
}

// `moves` says who moves in each step, and which messages arrive.
class Trace {
  constructor(card, witness, moves = { movers: [], messages: [] }) {
    this.card = card;
    this.loop = witness.loop ?? null;
    this.branches = witness.branches ?? [];
    this.rows = [{ event: null, lanes: [], place: null, changes: [] }];
    this.names = Object.keys(witness.initial);
    this.last = new Map(Object.entries(witness.initial));
    this.keys = [new Map(this.last)];
    this.messages = moves.messages;
    witness.steps.forEach((step, i) => this.push(step, moves.movers[i]));
  }

  get length() {
    return this.rows.length;
  }

  push(step, lanes) {
    const row = { event: step.event, lanes, meets: step.process !== null, place: placeOf(step.place), changes: [] };
    const number = this.rows.length;
    for (const [name, value] of Object.entries(step.changes)) {
      const before = this.last.get(name);
      // Where the process of a lane is stands in the lane.
      const mover = this.card.pcs.get(name);
      row.changes.push({ name, before, value, mover, inLane: lanes.includes(mover) });
      this.last.set(name, value);
    }
    row.changes.sort((a, b) => (a.mover !== undefined) - (b.mover !== undefined));
    this.rows.push(row);
    if (number % KEY_EVERY === 0) {
      this.keys.push(new Map(this.last));
    }
  }

  // All values in a state.
  values(number) {
    const key = Math.floor(number / KEY_EVERY);
    const found = new Map(this.keys[key]);
    for (let i = key * KEY_EVERY + 1; i <= number; i++) {
      this.rows[i].changes.forEach((c) => found.set(c.name, c.value));
    }
    return found;
  }

  // Calls a function with the values in every state from one on; it must not keep them.
  each(first, visit) {
    if (first >= this.length) {
      return;
    }
    const now = this.values(first);
    visit(now, first);
    for (let i = first + 1; i < this.length; i++) {
      this.rows[i].changes.forEach((c) => now.set(c.name, c.value));
      visit(now, i);
    }
  }

  // The lanes of the trace in the order of the model.
  lanes() {
    const order = (name) => this.card.lanes.get(name) ?? this.card.lanes.size;
    return [...new Set(this.rows.flatMap((r) => r.lanes))].sort((a, b) => order(a) - order(b));
  }
}

function placeOf(text) {
  const match = text === null ? null : /^([^]*):(\d+):(\d+)$/.exec(text);
  return match === null ? null : { source: match[1], line: Number(match[2]) };
}

// What names in watch expressions mean in the states of a trace.
function scopeOf(trace) {
  const plain = (name) => name.replaceAll(":", ".");
  const names = new Map(trace.names.map((name) => [plain(name), name]));
  const arrays = new Set(trace.names.map(plain).flatMap((name) =>
    [...name.matchAll(/\[/g)].map((m) => name.slice(0, m.index))));
  return {
    reader(name) {
      const item = names.get(plain(name));
      const width = trace.card.items.get(item)?.width ?? 1;
      if (width > 1) {
        return (values) => messagesOf(values.get(item) ?? [], width);
      }
      return item === undefined ? undefined : (values) => values.get(item) ?? null;
    },
    words(name) {
      const item = names.get(plain(name));
      return item === undefined ? undefined : trace.card.wordsOf(item);
    },
    isArray: (name) => arrays.has(plain(name)),
  };
}
