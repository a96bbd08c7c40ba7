// Elements of the page. Whatever is shown goes in as text, never as markup, and names that hold
// control characters or marks of writing direction show them instead of obeying them.

const UNSEEN = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const SVG = "http://www.w3.org/2000/svg";

function visible(text) {
  return String(text).replace(UNSEEN, (c) =>
    (c === "\n" ? "\\n" : `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`));
}

function h(tag, facts = {}, ...children) {
  return filled(document.createElement(tag), facts, children);
}

function svg(tag, facts = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), facts, children);
}

function filled(element, facts, children) {
  for (const [name, value] of Object.entries(facts)) {
    if (value === undefined || value === null || value === false) {
      continue;
    }
    if (name.startsWith("on")) {
      element.addEventListener(name.slice(2), value);
    } else {
      element.setAttribute(name, value === true ? "" : name === "title" ? visible(value) : value);
    }
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) {
      element.append(child instanceof Node ? child : visible(child));
    }
  }
  return element;
}

function plural(count, word, words = `${word}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? word : words}`;
}

function readData(id) {
  return JSON.parse(document.getElementById(id).textContent);
}

// What is looked at is in the part of the address after `#`, so that a reload, or who is sent the
// address, sees the same.
function readFragment() {
  return new URLSearchParams(location.hash.slice(1));
}

function writeFragment(entries) {
  const fragment = `#${new URLSearchParams(entries)}`;
  if (fragment !== location.hash) {
    history.replaceState(null, "", fragment);
  }
}

function isTyping(event) {
  return event.ctrlKey || event.metaKey || event.altKey ||
    ["INPUT", "TEXTAREA", "SELECT"].includes(event.target.tagName);
}

const THEMES = { auto: "◐", light: "☀", dark: "☾" };

function themeButton() {
  const names = Object.keys(THEMES);
  let at = 0;
  const button = h("button", { class: "quiet", onclick: () => {
    at = (at + 1) % names.length;
    document.documentElement.dataset.theme = names[at];
    told();
  } });
  const told = () => {
    button.textContent = THEMES[names[at]];
    button.title = `colours: ${names[at]}`;
    button.setAttribute("aria-label", button.title);
  };
  told();
  return button;
}

function keysDialog(keys) {
  const rows = keys.map(([key, what]) => h("tr", {}, h("td", {}, h("kbd", {}, key)), h("td", {}, what)));
  const dialog = h("dialog", {}, h("h3", {}, "Keys"), h("table", {}, rows),
    h("p", {}, "A watch is a condition or a number, evaluated in every state: ", h("code", {}, "a[i + 1] == 3 && len(queue) > 0"),
      ". Values are compared with their names as in ", h("code", {}, "worker.pc == idle"), "; a name that is no identifier stands in quotes."),
    h("form", { method: "dialog" }, h("button", {}, "Close")));
  return dialog;
}
