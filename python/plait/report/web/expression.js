// Watch expressions: what a person may ask of every state of a trace, such as
// `queue[0] + x == 3`. They are parsed and evaluated here, never given to the browser as code.
//
// The operators are those of Plait's formulas, with its precedence: from loose to tight `->`,
// `<->`, `||`, `&&`, `!`, comparisons, `|`, `^`, `&`, shifts, `+ -`, `* / %`, unary `- ~`, `**`.
// Numbers are 32-bit integers. What is undefined (a division by zero, an index outside) is null,
// and connectives follow strong Kleene logic, as in the models.

const LONGEST_EXPRESSION = 2000;
const NOT_LEVEL = 5;
const INFIX = [
  // level, operators, whether the operator groups to the right
  [1, ["->", "=>"], true],
  [2, ["<->", "<=>"], false],
  [3, ["||", "or"], false],
  [4, ["&&", "and"], false],
  [6, ["==", "!=", "<=", ">=", "<", ">", "="], false],
  [7, ["|"], false],
  [8, ["^"], false],
  [9, ["&"], false],
  [10, ["<<", ">>"], false],
  [11, ["+", "-"], false],
  [12, ["*", "/", "%"], false],
  [14, ["**"], false],
];
const UNARY_LEVEL = 13;
const LEVELS = new Map(INFIX.flatMap(([level, operators, right]) =>
  operators.map((text) => [text, { level, right }])));
const SPELLING = new Map([["=>", "->"], ["<=>", "<->"], ["or", "||"], ["and", "&&"], ["=", "=="]]);
const QUESTIONS = new Set(["len", "empty", "nempty"]);
const TOKEN = new RegExp(
  "\\s*(?:(?<number>\\d+)|\"(?<quoted>(?:[^\"\\\\]|\\\\.)*)\"" +
  "|(?<name>[\\p{L}_$@][\\p{L}\\p{N}_$@']*)" +
  "|(?<sign><->|<=>|->|=>|\\*\\*|<<|>>|<=|>=|==|!=|&&|\\|\\||[-+*/%&|^~!<>=()\\[\\].:]))",
  "uy");

class ExpressionError extends Error {
  constructor(message, column) {
    super(`column ${column + 1}: ${message}`);
    this.column = column;
  }
}

function tokens(text) {
  if (text.length > LONGEST_EXPRESSION) {
    throw new ExpressionError(`more than ${LONGEST_EXPRESSION} characters`, LONGEST_EXPRESSION);
  }
  const found = [];
  TOKEN.lastIndex = 0;
  while (text.slice(TOKEN.lastIndex).trim() !== "") {
    const start = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (match === null) {
      const column = start + text.slice(start).search(/\S/);
      throw new ExpressionError(`'${[...text.slice(column)][0]}' is not expected here`, column);
    }
    const { number, quoted, name, sign } = match.groups;
    const kind = number !== undefined ? "number" : quoted !== undefined ? "quoted"
      : name !== undefined ? "name" : "sign";
    const value = quoted === undefined ? number ?? name ?? sign : quoted.replace(/\\(.)/gu, "$1");
    found.push({ kind, text: value, column: start + match[0].search(/\S/) });
  }
  found.push({ kind: "end", text: "", column: text.length });
  return found;
}

// The expression as a function of a state. `scope` says what names mean:
//   scope.reader(name) gives a function of a state for a name such as `a[1]`, else undefined;
//   scope.words(name) gives the named values of that item, from word to number, else undefined;
//   scope.isArray(name) says whether there are items `name[...]`.
function compileExpression(text, scope) {
  const all = tokens(text);
  let at = 0;
  const peek = () => all[at];
  const take = () => all[at++];
  const fail = (message, token = peek()) => {
    throw new ExpressionError(message, token.column);
  };
  const isSign = (text) => peek().kind === "sign" && peek().text === text;
  const expect = (text) => {
    if (!isSign(text)) {
      fail(`'${text}' is expected${peek().kind === "end" ? " at the end" : ""}`);
    }
    return take();
  };

  function infix(least) {
    let left = prefix();
    for (;;) {
      const token = peek();
      const known = token.kind === "sign" || token.kind === "name" ? LEVELS.get(token.text) : undefined;
      if (known === undefined || known.level < least) {
        return left;
      }
      take();
      const right = infix(known.right ? known.level : known.level + 1);
      left = combined(SPELLING.get(token.text) ?? token.text, left, right);
    }
  }

  function prefix() {
    const token = peek();
    if (isSign("!") || (token.kind === "name" && token.text === "not")) {
      take();
      const inner = infix(NOT_LEVEL).value;
      return { value: (s) => negation(condition(inner(s))) };
    }
    if (isSign("-") || isSign("~")) {
      take();
      const inner = infix(UNARY_LEVEL).value;
      const apply = token.text === "-" ? (a) => -a | 0 : (a) => ~a;
      return { value: (s) => { const a = number(inner(s)); return a === null ? null : apply(a); } };
    }
    return operand();
  }

  function operand() {
    const token = take();
    if (token.kind === "number") {
      const value = Number(token.text);
      const negated = all[at - 2]?.kind === "sign" && all[at - 2].text === "-";
      if (value > (negated ? 2147483648 : 2147483647)) {
        fail(`${token.text} is no 32-bit integer`, token);
      }
      return { value: () => value };
    }
    if (token.kind === "sign" && token.text === "(") {
      const inner = infix(0);
      expect(")");
      return { value: inner.value };
    }
    if (token.kind === "name" && (token.text === "true" || token.text === "false")) {
      const value = token.text === "true";
      return { value: () => value };
    }
    if (token.kind === "name" && QUESTIONS.has(token.text) && isSign("(")) {
      return question(token);
    }
    if (token.kind === "name" || token.kind === "quoted") {
      return reference(token);
    }
    return fail(token.kind === "end" ? "something is missing at the end"
      : `'${token.text}' is not expected here`, token);
  }

  function question(word) {
    expect("(");
    const inner = infix(0).value;
    expect(")");
    const apply = { len: (n) => n, empty: (n) => n === 0, nempty: (n) => n > 0 }[word.text];
    return { value: (s) => { const list = inner(s); return Array.isArray(list) ? apply(list.length) : null; } };
  }

  // `p[0]:x`, `a[i + 1]`, `worker.pc`: the indices are values, the rest is fixed.
  function reference(first) {
    const parts = [first.text];
    const indices = [];
    for (;;) {
      if (isSign("[")) {
        take();
        indices.push(infix(0).value);
        expect("]");
        parts.push(null);
      } else if ((isSign(".") || isSign(":")) && ["name", "quoted", "number"].includes(all[at + 1].kind)) {
        take();
        parts.push(take().text);
      } else {
        break;
      }
    }
    if (indices.length === 0) {
      const fixed = joined(parts);
      const read = scope.reader(fixed);
      if (read !== undefined) {
        return { value: read, words: scope.words(fixed), item: true };
      }
      if (scope.isArray(fixed)) {
        fail(`'${fixed}' is an array and needs an index`, first);
      }
      // It may be the name of a value, which only what it is compared with can tell.
      const missing = () => { throw new ExpressionError(`there is no '${fixed}'`, first.column); };
      return { value: missing, word: fixed, column: first.column };
    }
    return indexed(parts, indices, first);
  }

  function indexed(parts, indices, first) {
    const base = joined(parts.slice(0, parts.indexOf(null)));
    const whole = scope.reader(base);
    if (!scope.isArray(base) && whole === undefined) {
      fail(`there is no array '${base}'`, first);
    }
    const value = (s) => {
      const at = [];
      for (const index of indices) {
        const found = number(index(s));
        if (found === null) {
          return null;
        }
        at.push(found);
      }
      let next = 0;
      let name = joined(parts.map((p) => p ?? `[${at[next++]}]`));
      // The last indices may be those of a message in a queue, and of a field in the message.
      const inner = [];
      while (scope.reader(name) === undefined && name.endsWith("]")) {
        inner.unshift(at[at.length - 1 - inner.length]);
        name = name.slice(0, name.lastIndexOf("["));
      }
      const read = scope.reader(name);
      return inner.reduce((list, i) => (Array.isArray(list) ? list[i] ?? null : null),
        read === undefined ? null : read(s));
    };
    return { value, words: scope.words(joined(parts.map((p) => p ?? "[0]"))), item: true };
  }

  const result = infix(0);
  if (peek().kind !== "end") {
    fail(`'${peek().text}' is not expected here`);
  }
  if (result.word !== undefined) {
    result.value();
  }
  return result.value;
}

// A path as one name; dots and colons between its parts mean the same.
function joined(parts) {
  return parts.reduce((path, part) => (part.startsWith("[") ? path + part : `${path}.${part}`));
}

function combined(operator, left, right) {
  const comparison = LEVELS.get(operator).level === 6;
  if (comparison) {
    [left, right] = [asWord(left, right), asWord(right, left)];
  }
  for (const side of [left, right]) {
    if (side.word !== undefined) {
      side.value();
    }
  }
  const [a, b] = [left.value, right.value];
  switch (operator) {
    case "&&":
      return { value: (s) => conjunction(condition(a(s)), condition(b(s))) };
    case "||":
      return { value: (s) => negation(conjunction(negation(condition(a(s))), negation(condition(b(s))))) };
    case "->":
      return { value: (s) => negation(conjunction(condition(a(s)), negation(condition(b(s))))) };
    case "<->":
      return { value: (s) => same(condition(a(s)), condition(b(s))) };
  }
  if (comparison) {
    return { value: (s) => compared(operator, a(s), b(s)) };
  }
  return { value: (s) => arithmetic(operator, number(a(s)), number(b(s))) };
}

// One side of a comparison, which is the name of a value when the other is an item that has it.
function asWord(side, other) {
  if (side.word === undefined || other.words === undefined || !other.words.has(side.word)) {
    return side;
  }
  const value = other.words.get(side.word);
  return { value: () => value };
}

const negation = (a) => (a === null ? null : !a);
const conjunction = (a, b) => (a === false || b === false ? false : a === null || b === null ? null : true);
const same = (a, b) => (a === null || b === null ? null : a === b);

function number(value) {
  return value === null || Array.isArray(value) ? null : Number(value);
}

function condition(value) {
  return value === null || Array.isArray(value) ? null : Boolean(value);
}

function compared(operator, a, b) {
  if (a === null || b === null) {
    return null;
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || !["==", "!="].includes(operator)) {
      return null;
    }
    const equal = a.length === b.length && a.every((v, i) => compared("==", v, b[i]));
    return equal === (operator === "==");
  }
  const [x, y] = [Number(a), Number(b)];
  return { "==": x === y, "!=": x !== y, "<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y }[operator];
}

function arithmetic(operator, a, b) {
  if (a === null || b === null) {
    return null;
  }
  switch (operator) {
    case "+": return (a + b) | 0;
    case "-": return (a - b) | 0;
    case "*": return Math.imul(a, b);
    case "&": return a & b;
    case "|": return a | b;
    case "^": return a ^ b;
    case "/": return b === 0 ? null : (a / b) | 0;
    case "%": return b === 0 ? null : (a % b) | 0;
    case "<<": return b < 0 || b > 31 ? null : a << b;
    case ">>": return b < 0 || b > 31 ? null : a >> b;
    default: return power(a, b);
  }
}

function power(base, exponent) {
  if (exponent < 0) {
    return null;
  }
  let result = 1;
  for (let factor = base, left = exponent; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) {
      result = Math.imul(result, factor);
    }
    factor = Math.imul(factor, factor);
  }
  return result;
}
