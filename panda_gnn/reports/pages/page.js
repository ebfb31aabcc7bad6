"use strict";
/* What all pages share: elements, numbers, tables that sort and filter, themes, copying. */
const data = JSON.parse(document.getElementById("data").textContent);
const NOTHING = "–";

/** An element with attributes and children; strings become text, never markup. */
function element(name, attributes = {}, ...children) {
  const svg = element.svg.has(name);
  const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter(child => child !== null && child !== undefined));
  return made;
}
element.svg = new Set(["svg", "g", "line", "circle", "rect", "text", "path", "title"]);

function number(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return NOTHING;
  if (value === 0 || Math.abs(value) < 1e-12) return "0";
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1000) return String(Number(value.toPrecision(3)));
  return size >= 1000 && size < 1e6 ? value.toFixed(0) : value.toExponential(1);
}

function say(text) { document.getElementById("said").textContent = text; }

/** The number at the front of a text; what is none sorts last. */
function sortable(text) {
  const found = /[-+]?\d[\d,]*(\.\d+)?(e[-+]?\d+)?/i.exec(text.replace("−", "-"));
  const starts = /^\s*(<\s*)?[-+]?\d/.test(text);
  if (!starts || !found) return { text: text.toLowerCase(), value: null };
  const value = Number(found[0].replaceAll(",", ""));
  return { text: "", value: text.trim().startsWith("<") ? value * 0.999 : value };
}

function compare(a, b) {
  const [first, second] = [sortable(a), sortable(b)];
  if (first.value !== null && second.value !== null) return first.value - second.value;
  if (first.value !== null) return -1;
  if (second.value !== null) return 1;
  return first.text.localeCompare(second.text);
}

/** Columns that sort at a click or the return key, and a field that filters. */
function sortTable(table) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const label = head.textContent;
    if (!label) return;
    const button = element("button", { type: "button", title: "Sort by " + label, onclick: () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach(other => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const rows = [...body.rows].sort((a, b) => {
        const [x, y] = [a.cells[column].textContent.trim(), b.cells[column].textContent.trim()];
        if (x === "" || x === NOTHING || x === "missing") return y === x ? 0 : 1;
        if (y === "" || y === NOTHING || y === "missing") return -1;
        return (up ? 1 : -1) * compare(x, y);
      });
      body.append(...rows);
      say("Sorted by " + label + (up ? ", ascending" : ", descending"));
    } }, label);
    head.replaceChildren(button);
  });
  if (body.rows.length < 8 || table.dataset.filter === "no") return;
  const count = element("span", { class: "note" });
  const field = element("input", { type: "search", placeholder: "filter", "aria-label": "Filter the rows of " + table.caption.textContent,
    oninput: () => { filterRows(body, row => matches(row.textContent, field.value), count); } });
  table.closest(".scroll").before(element("p", { class: "row" }, field, count));
}

/** Whether a text has all words. */
function matches(text, words) {
  const lower = text.toLowerCase();
  return words.toLowerCase().split(/\s+/).every(word => lower.includes(word));
}

function filterRows(body, keep, count) {
  let shown = 0;
  for (const row of body.rows) { row.hidden = !keep(row); shown += !row.hidden; }
  if (count) count.textContent = shown + " of " + body.rows.length + " rows";
}

/** A text beside the pointer or the focused element. */
const tip = element("div", { id: "tip", hidden: true });
document.body.append(tip);
function showTip(text, x, y) {
  tip.textContent = text; tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(x + 12, innerWidth - box.width - 4)) + "px";
  tip.style.top = Math.max(4, Math.min(y + 14, innerHeight - box.height - 4)) + "px";
}
function hideTip() { tip.hidden = true; }
function tipped(made, text) {
  const at = event => showTip(text, event.clientX, event.clientY);
  made.addEventListener("pointerenter", at); made.addEventListener("pointermove", at);
  made.addEventListener("pointerleave", hideTip); made.addEventListener("blur", hideTip);
  made.addEventListener("focus", () => { const box = made.getBoundingClientRect(); showTip(text, box.right, box.top); });
  made.append(element("title", {}, text));
  return made;
}

function copyButton(text, label) {
  return element("button", { type: "button", class: "copy", "aria-label": label + ": " + text, title: text, onclick: async event => {
    event.stopPropagation();
    let done = true;
    try { await navigator.clipboard.writeText(text); }
    catch { // pages opened from a file have no clipboard in some browsers
      const field = element("textarea", {}); field.value = text; document.body.append(field); field.select();
      done = document.execCommand("copy"); field.remove();
    }
    say(done ? "Copied " + text : "Copying failed");
    event.target.textContent = done ? "copied" : "failed";
    setTimeout(() => { event.target.textContent = label; }, 1500);
  } }, label);
}

function dark() {
  const chosen = document.documentElement.dataset.theme;
  if (dark.printing) return false;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}
const onTheme = [];
function themeChanged() { onTheme.forEach(redraw => redraw()); }
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", themeChanged);
addEventListener("beforeprint", () => { dark.printing = true; themeChanged(); });
addEventListener("afterprint", () => { dark.printing = false; themeChanged(); });
function themeButton() {
  return element("button", { type: "button", "aria-label": "Dark or light", onclick: () => {
    document.documentElement.dataset.theme = dark() ? "light" : "dark"; themeChanged();
  } }, "◐");
}

/** A row of radio buttons; calls back with the value that is chosen. */
function radios(label, name, choices, value, change) {
  return element("fieldset", {}, element("legend", {}, label), ...choices.map(([key, text, title]) =>
    element("label", { title }, element("input", { type: "radio", name, value: key, checked: key === value, onchange: () => change(key) }), " " + text)));
}

function choice(label, choices, value, change, attributes = {}) {
  return element("label", { class: "stack" }, label, element("select", { ...attributes, onchange: event => change(event.target.value) },
    ...choices.map(([key, text]) => element("option", { value: key, selected: key === value }, text))));
}

document.querySelectorAll("table.sorts").forEach(sortTable);
document.querySelectorAll("[data-copy]").forEach(place => place.append(" ", copyButton(place.dataset.copy, "copy")));
document.querySelectorAll("header.top").forEach(top => top.prepend(element("div", { style: "float:right" }, themeButton())));
