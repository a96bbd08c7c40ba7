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
    this.order = new Map(data.processes.map((p, i) => [p.name, i]));
    this.parts = data.parts;
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

  // The lanes in which a step stands: its processes, or the part of the system that it is of, or
  // those parts whose variables it changes.
  lanesOf({ event, process, changes }) {
    if (process !== null) {
      return this.order.has(process) ? [process] : process.split(" & ");
    }
    const of = (name, end) => this.parts.find((p) => name.startsWith(p + end));
    const part = of(event, ".");
    const changed = part === undefined ? Object.keys(changes).map((name) => of(name, ":")) : [part];
    return [...new Set(changed)].filter((p) => p !== undefined);
  }
}

function messagesOf(flat, width) {
  const found = [];
  for (let i = 0; i < flat.length; i += width) {
    found.push(flat.slice(i, i + width));
  }
  return found;
}

class Trace {
  constructor(card, witness) {
    this.card = card;
    this.loop = witness.loop ?? null;
    this.branches = witness.branches ?? [];
    this.rows = [{ event: null, lanes: [], place: null, changes: [], sent: [], received: [] }];
    this.names = Object.keys(witness.initial);
    this.last = new Map(Object.entries(witness.initial));
    this.keys = [new Map(this.last)];
    this.messages = [];
    this.senders = new Map();
    witness.steps.forEach((step) => this.push(step));
  }

  get length() {
    return this.rows.length;
  }

  push(step) {
    const lanes = this.card.lanesOf(step);
    const row = {
      event: step.event, lanes, meets: step.process !== null, place: placeOf(step.place),
      changes: [], sent: [], received: [],
    };
    const number = this.rows.length;
    for (const [name, value] of Object.entries(step.changes)) {
      const before = this.last.get(name);
      // Where the process of a lane is stands in the lane.
      const mover = this.card.pcs.get(name);
      row.changes.push({ name, before, value, mover, inLane: lanes.includes(mover) });
      this.last.set(name, value);
      if (Array.isArray(value) && Array.isArray(before)) {
        this.#follow(name, before, value, number, row);
      }
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
    const order = (name) => this.card.order.get(name) ?? this.card.order.size + this.card.parts.indexOf(name);
    return [...new Set(this.rows.flatMap((r) => r.lanes))].sort((a, b) => order(a) - order(b));
  }

  // Who sent what is read from a queue is remembered message by message.
  #follow(name, before, after, number, row) {
    const width = this.card.items.get(name)?.width ?? 1;
    const [old, now] = [messagesOf(before, width), messagesOf(after, width)];
    const ids = this.senders.get(name) ?? old.map(() => null);
    const difference = queueDifference(old, now);
    if (difference === null) {
      this.senders.set(name, now.map(() => null));
      return;
    }
    for (const at of difference.taken) {
      const message = { name, text: this.card.message(name, old[at]), from: ids[at], to: number };
      row.received.push(message);
      if (ids[at] !== null) {
        ids[at].to = number;
        this.messages.push({ ...message, from: ids[at].from });
      }
    }
    const left = ids.filter((_, i) => !difference.taken.includes(i));
    for (const at of difference.put) {
      const message = { name, text: this.card.message(name, now[at]), from: number, to: null };
      row.sent.push(message);
      left.splice(at, 0, message);
    }
    this.senders.set(name, left);
  }
}

function placeOf(text) {
  const match = text === null ? null : /^([^]*):(\d+):(\d+)$/.exec(text);
  return match === null ? null : { source: match[1], line: Number(match[2]) };
}

// Which messages were taken (places before) and put (places after) by one step: from the front and
// to the back, or one from the middle, as for sorted sends and random receives.
function queueDifference(old, now) {
  const equal = (a, b) => a.every((v, i) => v === b[i]);
  const range = (first, end) => Array.from({ length: end - first }, (_, i) => first + i);
  for (let taken = 0; taken <= old.length; taken++) {
    const rest = old.length - taken;
    if (rest <= now.length && range(0, rest).every((i) => equal(old[taken + i], now[i]))) {
      if (rest > 0 || old.length === 0 || now.length === 0) {
        return { taken: range(0, taken), put: range(rest, now.length) };
      }
    }
  }
  const [long, short] = old.length > now.length ? [old, now] : [now, old];
  if (long.length !== short.length + 1) {
    return old.length === 1 && now.length === 1 ? { taken: [0], put: [0] } : null;
  }
  const at = long.findIndex((m, i) => i >= short.length || !equal(m, short[i]));
  if (!short.slice(at).every((m, i) => equal(m, long[at + 1 + i]))) {
    return null;
  }
  return long === old ? { taken: [at], put: [] } : { taken: [], put: [at] };
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
