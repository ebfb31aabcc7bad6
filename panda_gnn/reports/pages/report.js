"use strict";
/* The report: rules and intervals as switches, differences as intervals, learning curves. */
const state = { rule: Object.keys(data.rules || {})[0] || null, interval: "corrected", dataset: "", backbone: "" };

function unique(name) { return [...new Set(data.lines.map(line => line[name]))]; }
function under(line) { return line.rules[state.rule] || Object.values(line.rules)[0]; }
function visible(line) {
  return (state.missing || Object.values(line.rules).some(rule => rule.ours !== "missing")) && (!state.dataset || line.dataset === state.dataset) && (!state.backbone || line.backbone === state.backbone)
    && matches([line.block, line.backbone, line.line, line.settings].join(" "), state.words || "");
}

const table = document.getElementById("lines");
function fillTable() {
  for (const row of table.tBodies[0].rows) {
    const line = data.lines[row.dataset.line], now = under(line), scored = Boolean(state.rule);
    const texts = scored ? { 4: now.ours, 5: now.n, 6: now.rank, 7: now.difference[state.interval] || "", 8: now.p[state.interval] || "" } : {};
    for (const [column, text] of Object.entries(texts)) row.cells[column].textContent = text;
    row.cells[4].classList.toggle("first", now.rank === "1");
    row.hidden = !visible(line);
  }
  const rows = [...table.tBodies[0].rows];
  document.getElementById("count").textContent = `${rows.filter(row => !row.hidden).length} of ${rows.length} lines`;
  const reading = document.getElementById("reading");
  const sentences = data.sentences[state.rule] || Object.values(data.sentences)[0];
  reading.replaceChildren(...sentences.map(text => element("li", {}, text)));
}

/** Every block of lines as intervals around zero. */
function drawPlot() {
  const place = document.getElementById("plot");
  if (!place) return;
  place.querySelectorAll(".block").forEach(old => old.remove());
  const blocks = Map.groupBy ? Map.groupBy(data.lines, line => line.block) : grouped(data.lines);
  const grid = element("div", { class: "grid two block" });
  for (const [name, lines] of blocks) {
    const drawn = lines.filter(line => visible(line) && under(line).plot);
    if (drawn.length) grid.append(element("div", {}, element("h3", {}, name), intervals(name, drawn)));
  }
  grid.classList.toggle("two", grid.children.length > 1);
  if (!grid.children.length) grid.append(element("p", {}, "No line has trials on splits that it shares with its reference."));
  place.append(grid);
}
function grouped(lines) {
  const blocks = new Map();
  for (const line of lines) blocks.set(line.block, [...(blocks.get(line.block) || []), line]);
  return blocks;
}

function intervals(name, lines) {
  const width = Math.min(560, Math.max(300, innerWidth - 60)), left = width < 450 ? 125 : 165, height = 24, right = 14;
  const ends = [0];
  for (const line of lines) {
    const plot = under(line).plot, half = plot[state.interval] || 0;
    ends.push(plot.mean - half, plot.mean + half, ...plot.pairs.map(pair => pair[1]));
  }
  const low = Math.min(...ends), high = Math.max(...ends), span = high - low || 1;
  const x = value => left + 6 + (value - low) / span * (width - left - 6 - right);
  const bottom = lines.length * height + 4;
  const svg = element("svg", { viewBox: `0 0 ${width} ${bottom + 22}`, role: "img", "aria-label": `${name}: ${data.difference}` });
  for (const tick of ticks(low, high, 5)) {
    svg.append(element("line", { class: tick === 0 ? "zero" : "axis", x1: x(tick), x2: x(tick), y1: 0, y2: bottom }),
      element("text", { x: x(tick), y: bottom + 15, "text-anchor": "middle" }, number(tick)));
  }
  lines.forEach((line, place) => {
    const plot = under(line).plot, y = place * height + height / 2 + 2, half = plot[state.interval];
    const seeds = plot.pairs.map(([seed, value]) => `seed ${seed}: ${value >= 0 ? "+" : ""}${value.toFixed(2)}`);
    const text = `${line.line}: ${under(line).difference[state.interval]}\n${seeds.join("\n")}`;
    const group = element("g", { tabindex: 0, role: "img", "aria-label": text });
    group.append(element("rect", { x: 0, y: y - height / 2, width, height, fill: "transparent" }));
    group.append(element("text", { x: left - 8, y: y + 4, "text-anchor": "end" }, line.line.length > left / 6.6 ? line.line.slice(0, left / 6.6 - 1) + "…" : line.line));
    if (half !== null) group.append(element("line", { class: "bar", x1: x(plot.mean - half), x2: x(plot.mean + half), y1: y, y2: y }));
    tipped(group, text);
    plot.pairs.forEach(([, value], index) => {
      const dot = tipped(element("circle", { class: "dot", cx: x(value), cy: y, r: 4 }), `${line.line}, ${seeds[index]}`);
      dot.addEventListener("pointermove", event => event.stopPropagation());
      group.append(dot);
    });
    group.append(element("circle", { class: "mean", cx: x(plot.mean), cy: y, r: 3.5, "pointer-events": "none" }));
    svg.append(group);
  });
  return svg;
}

function ticks(low, high, count) {
  const raw = (high - low || 1) / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(factor => factor * power).find(size => size >= raw);
  const found = [];
  for (let tick = Math.ceil(low / step); tick * step <= high; tick++) found.push(Number((tick * step).toPrecision(6)));
  return found;
}

/** The curves of one line, one part of the scores at a time. */
const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#9A8700", "#767676", "#6B1F3D", "#000000"];
function drawCurves() {
  const place = document.getElementById("curves");
  if (!place) return;
  const lines = [...new Set(data.curves.map(curve => curve.line))];
  state.curve ??= lines[0]; state.part ??= "validation";
  const kept = data.curves.filter(curve => curve.line === state.curve && curve[state.part].length);
  const width = 720, height = 260, left = 52, bottom = 30;
  const values = kept.flatMap(curve => curve[state.part]), longest = Math.max(2, ...kept.map(curve => curve[state.part].length));
  const low = Math.min(...values), high = Math.max(...values);
  const x = epoch => left + epoch / (longest - 1) * (width - left - 10);
  const y = value => height - bottom - (value - low) / (high - low || 1) * (height - bottom - 10);
  const svg = element("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${state.part} by epoch of ${data.lines[state.curve].line}` });
  for (const tick of ticks(low, high, 5)) svg.append(element("line", { class: "axis", x1: left, x2: width - 10, y1: y(tick), y2: y(tick) }), element("text", { x: left - 6, y: y(tick) + 4, "text-anchor": "end" }, number(tick)));
  for (const tick of ticks(0, longest - 1, 6)) svg.append(element("text", { x: x(tick), y: height - 12, "text-anchor": "middle" }, String(tick)));
  kept.forEach((curve, index) => {
    const path = curve[state.part].map((value, epoch) => `${epoch ? "L" : "M"}${x(epoch).toFixed(1)} ${y(value).toFixed(1)}`).join("");
    svg.append(tipped(element("path", { class: "curve", d: path, stroke: COLOURS[index % COLOURS.length], tabindex: 0, "aria-label": `seed ${curve.seed}` }), `seed ${curve.seed}: ${number(curve[state.part].at(-1))} at the end`));
  });
  const head = element("tr", {}, ...["seed", "epochs", "first", "last", "lowest", "highest"].map(text => element("th", { scope: "col" }, text)));
  const rows = kept.map(curve => { const of = curve[state.part]; return element("tr", {}, ...[curve.seed, of.length, of[0], of.at(-1), Math.min(...of), Math.max(...of)].map(value => element("td", {}, number(value)))); });
  const shown = element("div", { class: "block" },
    element("p", { class: "row" },
      choice("line", lines.map(line => [String(line), `${data.lines[line].block}: ${data.lines[line].line}`]), String(state.curve), value => { state.curve = Number(value); drawCurves(); }),
      choice("curve", ["validation", "test", "loss"].map(name => [name, name]), state.part, value => { state.part = value; drawCurves(); })),
    kept.length ? svg : element("p", {}, "This curve was not kept."),
    element("div", { class: "scroll" }, element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows))));
  place.querySelectorAll(".block").forEach(old => old.remove());
  place.append(shown);
}

function update() { fillTable(); drawPlot(); }

if (data.kind === "study") {
  [...table.tBodies[0].rows].forEach((row, place) => {
    row.dataset.line = place;
    const last = row.cells.length - 1, line = data.lines[place];
    row.cells[last - 1].className = "wrap";
    row.cells[last].className = "wrap command";
    if (line.command) row.cells[last].replaceChildren(copyButton(line.command, "copy"), element("details", {}, element("summary", {}, "show"), element("code", {}, line.command)));
  });
  const switches = document.getElementById("switches");
  if (state.rule) switches.append(
    radios("selection", "rule", Object.entries(data.rules).map(([name, about]) => [name, name, about]), state.rule, value => { state.rule = value; update(); say("Selection " + value); }),
    radios("intervals", "interval", [["corrected", "corrected", "the corrected resampled t-test, which knows that re-splits share their graphs"], ["naive", "naive", "the paired t-test, which takes splits for independent"]], "corrected", value => { state.interval = value; update(); say("Intervals " + value); }));
  switches.append(
    choice("dataset", [["", "all"], ...unique("dataset").map(name => [name, name])], "", value => { state.dataset = value; update(); }, { id: "dataset" }),
    choice("backbone", [["", "all"], ...unique("backbone").map(name => [name, name])], "", value => { state.backbone = value; update(); }, { id: "backbone" }),
    element("label", { class: "stack" }, "filter", element("input", { type: "search", id: "filter", oninput: event => { state.words = event.target.value; update(); } })),
    element("label", {}, element("input", { type: "checkbox", id: "missing", onchange: event => { state.missing = event.target.checked; update(); } }), " lines without trials"),
    element("span", { id: "count", class: "note" }));
  update(); drawCurves();
}
const VERDICTS = { reproduced: "good", "not reproduced": "bad", "only with peeking": "bad" };
document.querySelectorAll("#claims tbody tr").forEach(row => {
  const kind = VERDICTS[row.cells[6].textContent];
  if (kind) row.cells[6].classList.add(kind);
  row.cells[7].className = "wrap";
});
