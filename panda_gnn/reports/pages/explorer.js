"use strict";
/* Linked maps of one graph, its nodes and edges as tables, and the page of a dataset. */
const SEQUENTIAL = ["#FFE9A0", "#FBD97B", "#F3AE45", "#DE7A2B", "#B64A2C", "#7E2A33", "#431836"];
const DIVERGING = ["#9A3B00", "#D55E00", "#EFAA7C", "#B9B9B9", "#86BBDD", "#0072B2", "#004A75"];
const SCALES = [["linear", "linear"], ["log", "logarithmic"], ["rank", "rank"]];
const SHADES = 48, UNKNOWN = "#9A9A9A", PAGE = 50;

function mixed(colours, share) {
  const place = Math.min(Math.max(share, 0), 1) * (colours.length - 1), left = Math.min(Math.floor(place), colours.length - 2);
  const parts = [left, left + 1].map(i => [1, 3, 5].map(j => parseInt(colours[i].slice(j, j + 2), 16)));
  return `rgb(${parts[0].map((a, i) => Math.round(a + (place - left) * (parts[1][i] - a))).join(",")})`;
}

/** The place of every value on a scale from 0 to 1, and what its ends are. */
function scaled(measure, scale) {
  const known = measure.values.filter(value => value !== null);
  if (!known.length) return { share: () => null, low: null, high: null, flat: true };
  const low = Math.min(...known), high = Math.max(...known);
  if (low === high) return { share: value => value === null ? null : .5, low, high, flat: true };
  if (scale === "rank") {
    const sorted = [...new Set(known)].sort((a, b) => a - b), places = new Map(sorted.map((value, place) => [value, place / (sorted.length - 1)]));
    return { share: value => value === null ? null : places.get(value), low, high };
  }
  if (measure.zero && low < 0) { // zero is in the middle of the colours; the ends are those of the values
    const end = Math.max(Math.abs(low), Math.abs(high)), root = value => scale === "log" ? Math.sign(value) * Math.log1p(20 * Math.abs(value) / end) / Math.log1p(20) : value / end;
    return { share: value => value === null ? null : (root(value) + 1) / 2, low, high };
  }
  if (scale === "log") {
    const least = Math.min(...known.filter(value => value > 0)), bottom = low > 0 ? Math.log(low) : Math.log(least) - 1, top = Math.log(high);
    if (high > 0 && low >= 0 && top > bottom) return { share: value => value === null ? null : value > 0 ? (Math.log(value) - bottom) / (top - bottom) : 0, low, high };
  }
  return { share: value => value === null ? null : (value - low) / (high - low), low, high };
}

class Explorer {
  constructor(place, graph, shown) {
    this.graph = graph; this.place = place; this.stage = graph.stages[0]; this.maps = [];
    this.view = { scale: 1, x: 0, y: 0 }; this.picked = null; this.under = null;
    this.centrality = graph.centrality; this.k = graph.k;
    this.bounds();
    const controls = element("div", { class: "controls" });
    const orders = Object.keys(this.stage.orders);
    controls.append(
      choice("high nodes by", orders.map(name => [name, name]), this.centrality, value => { this.centrality = value; this.widen(); }, { class: "centrality" }),
      element("label", { class: "stack" }, "k", element("input", { type: "number", class: "k", min: 0, max: graph.names.length, value: this.k, oninput: event => { this.k = Math.max(0, Number(event.target.value) || 0); this.widen(); } })));
    if (graph.stages.length > 1) controls.append(radios("graph", "stage" + Explorer.count++, graph.stages.map((stage, i) => [String(i), stage.name]), "0", value => this.turn(Number(value))));
    controls.append(element("button", { type: "button", onclick: () => this.zoom(1.5) , "aria-label": "Zoom in" }, "+"), element("button", { type: "button", onclick: () => this.zoom(1 / 1.5), "aria-label": "Zoom out" }, "−"),
      element("button", { type: "button", onclick: () => { this.view = { scale: 1, x: 0, y: 0 }; this.draw(); } }, "whole graph"));
    this.info = element("p", { class: "note info" }, Explorer.help);
    const grid = element("div", { class: shown.length > 1 ? "grid two maps" : "maps" });
    place.append(controls, this.info, grid);
    this.widen(true);
    for (const name of shown) this.maps.push(new GraphMap(this, grid, name));
    this.tables = ["node", "edge"].map(kind => new PagedTable(this, place, kind));
    new ResizeObserver(() => this.draw()).observe(place);
    onTheme.push(() => this.draw());
  }
  bounds() {
    const at = this.graph.position, xs = at.filter((_, i) => i % 2 === 0), ys = at.filter((_, i) => i % 2 === 1);
    this.box = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  }
  widen(quiet) {
    const order = this.stage.orders[this.centrality] || Object.values(this.stage.orders)[0];
    this.high = new Set(order.slice(0, this.k));
    if (!quiet) { this.draw(); this.tables.forEach(table => table.fill()); say(`${this.high.size} high nodes by ${this.centrality}`); }
  }
  turn(number) {
    const before = this.picked;
    this.stage = this.graph.stages[number];
    this.picked = before && before.kind === "node" ? before : null; this.under = null;
    this.widen(true); this.maps.forEach(map => map.measures()); this.draw(); this.tables.forEach(table => table.fill());
    say(this.stage.name);
  }
  zoom(factor, x = 0, y = 0) {
    const scale = Math.min(Math.max(this.view.scale * factor, .8), 40), real = scale / this.view.scale;
    this.view = { scale, x: x - (x - this.view.x) * real, y: y - (y - this.view.y) * real };
    this.draw();
  }
  draw() { cancelAnimationFrame(this.frame); this.frame = requestAnimationFrame(() => this.maps.forEach(map => map.draw())); }
  light() { this.maps.forEach(map => map.overlay()); }
  hover(item) { if (same(item, this.under)) return; this.under = item; this.light(); }
  pick(item, from) {
    this.picked = item; this.light();
    this.tables.forEach(table => table.picked(from));
    const text = item ? this.describe(item) : Explorer.help;
    this.info.textContent = text; say(item ? text : "Nothing selected");
  }
  name(item) {
    const names = this.graph.names;
    return item.kind === "node" ? names[item.index] : names[this.stage.edges[2 * item.index]] + " – " + names[this.stage.edges[2 * item.index + 1]];
  }
  describe(item) {
    const list = item.kind === "node" ? this.stage.nodes : this.stage.links;
    const values = list.map(measure => `${measure.name} ${number(measure.values[item.index])}`);
    const high = item.kind === "node" && this.high.has(item.index) ? ", high" : "";
    const fresh = item.kind === "edge" && this.stage.fresh[item.index] ? ", new" : "";
    return `${item.kind === "node" ? "Node" : "Edge"} ${this.name(item)}${high}${fresh}: ${values.join(", ")}`;
  }
}
Explorer.count = 0;
Explorer.help = "Point at a node or an edge, or select it: it is marked in every map and in the tables. With the keyboard: arrows go from node to node, e to an edge, + and − zoom, Escape lets go.";

function same(a, b) { return a === b || (a && b && a.kind === b.kind && a.index === b.index); }

class GraphMap {
  constructor(explorer, place, measure) {
    this.explorer = explorer; this.measure = this.wanted = measure; this.scale = "linear";
    this.base = element("canvas", { tabindex: 0, role: "img" }); this.top = element("canvas", { "aria-hidden": "true" });
    this.select = element("select", { class: "measure", "aria-label": "Measure of the map", onchange: event => { this.measure = this.wanted = event.target.value; this.suit(); this.draw(); } });
    this.scales = element("select", { class: "scale-of", "aria-label": "Scale of the colours", onchange: event => { this.scale = event.target.value; this.draw(); } }, ...SCALES.map(([key, text]) => element("option", { value: key }, text)));
    this.about = element("p", {}); this.legend = element("div", { class: "scale" });
    place.append(element("figure", {}, element("div", { class: "row apart" }, this.select, this.scales), this.about, element("div", { class: "map" }, this.base, this.top), this.legend));
    this.measures(); this.listen();
  }
  measures() {
    const group = (label, kind, list) => element("optgroup", { label }, ...list.map(item => element("option", { value: kind + ":" + item.name }, item.name)));
    this.select.replaceChildren(group("nodes", "node", this.explorer.stage.nodes), group("edges", "edge", this.explorer.stage.links));
    const options = [...this.select.options].map(option => option.value);
    this.measure = options.includes(this.wanted) ? this.wanted : options[0]; // not all are measured after a rewiring
    this.select.value = this.measure; this.suit();
  }
  get of() {
    const [kind, ...rest] = this.measure.split(":"), list = kind === "node" ? this.explorer.stage.nodes : this.explorer.stage.links;
    return { kind, ...list.find(item => item.name === rest.join(":")) };
  }
  /** Where one value hides all others, begin with the scale that shows them. */
  suit() {
    const known = this.of.values.filter(value => value !== null).sort((a, b) => a - b), at = share => known[Math.floor(share * (known.length - 1))];
    const span = known.at(-1) - known[0];
    this.scale = known.length > 10 && span > 0 && at(.95) - at(.05) < span / 5 ? "rank" : "linear";
    this.scales.value = this.scale;
  }
  fit() {
    const width = this.base.clientWidth || 300, ratio = devicePixelRatio || 1;
    const [left, top, right, bottom] = this.explorer.box;
    const height = Math.round(Math.min(460, Math.max(220, width * Math.min(1, (bottom - top + 2) / (right - left + 2)))));
    for (const canvas of [this.base, this.top]) {
      if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) { canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio); canvas.style.height = height + "px"; }
    }
    const room = 18, unit = Math.min((width - 2 * room) / Math.max(right - left, .5), (height - 2 * room) / Math.max(bottom - top, .5), 60), view = this.explorer.view;
    this.size = { width, height, ratio };
    this.unit = unit * view.scale;
    this.x = value => width / 2 + view.x + (value - (left + right) / 2) * this.unit;
    this.y = value => height / 2 + view.y + (value - (top + bottom) / 2) * this.unit;
    const crowded = .3 * view.scale * Math.sqrt(width * height / Math.max(1, this.explorer.stage.size));
    this.radius = Math.max(1.8, Math.min(9, this.unit * .22, crowded));
  }
  node(index) { const at = this.explorer.graph.position; return [this.x(at[2 * index]), this.y(at[2 * index + 1])]; }
  colours() {
    const measure = this.of, ramp = measure.zero && Math.min(...measure.values.filter(v => v !== null), 0) < 0 && this.scale !== "rank" ? DIVERGING : dark() ? [...SEQUENTIAL].reverse() : SEQUENTIAL;
    const on = scaled(measure, this.scale), cache = Array.from({ length: SHADES + 1 }, (_, i) => mixed(ramp, i / SHADES));
    return { on, ramp, bin: value => { const share = on.share(value); return share === null ? -1 : Math.round(share * SHADES); }, colour: bin => bin < 0 ? UNKNOWN : cache[bin] };
  }
  draw() {
    this.fit();
    const context = this.base.getContext("2d"), { width, height, ratio } = this.size, { stage, high, graph } = this.explorer;
    const measure = this.of, scale = this.colours(), style = getComputedStyle(document.documentElement);
    const ink = dark() ? "#e8e6e1" : "#222";
    context.setTransform(ratio, 0, 0, ratio, 0, 0); context.clearRect(0, 0, width, height); context.lineCap = "round";
    const bins = new Map(), add = (bin, index) => bins.has(bin) ? bins.get(bin).push(index) : bins.set(bin, [index]);
    const count = stage.edges.length / 2, onEdges = measure.kind === "edge";
    for (let edge = 0; edge < count; edge++) add(onEdges ? scale.bin(measure.values[edge]) : stage.fresh[edge] ? -2 : -3, edge);
    for (const [bin, edges] of [...bins].sort((a, b) => a[0] - b[0])) {
      context.beginPath();
      for (const edge of edges) { context.moveTo(...this.node(stage.edges[2 * edge])); context.lineTo(...this.node(stage.edges[2 * edge + 1])); }
      context.strokeStyle = bin === -3 ? style.getPropertyValue("--edge") : bin === -2 ? style.getPropertyValue("--mark") : scale.colour(bin);
      context.globalAlpha = onEdges || bin === -2 ? 1 : count > 3000 ? .35 : .7;
      context.lineWidth = onEdges ? Math.max(1.2, Math.min(4, this.radius * .5)) : bin === -2 ? 1.8 : Math.min(1.5, Math.max(.5, this.radius * .25));
      context.stroke();
    }
    context.globalAlpha = 1;
    if (onEdges && stage.fresh.includes(1)) this.dashes(context, stage.edges, edge => stage.fresh[edge], ink);
    if (stage.gone.length) { context.globalAlpha = .5; this.dashes(context, stage.gone, () => true, ink); context.globalAlpha = 1; }
    const order = Array.from({ length: stage.size }, (_, i) => i).sort((a, b) => high.has(a) - high.has(b));
    for (const index of order) {
      const [x, y] = this.node(index), wide = high.has(index);
      if (x < -20 || y < -20 || x > width + 20 || y > height + 20) continue;
      const colour = onEdges ? (dark() ? "#8b8f95" : "#6E6E6E") : scale.colour(scale.bin(measure.values[index]));
      context.beginPath(); context.arc(x, y, this.radius * (wide ? 1.4 : 1) * (onEdges ? .6 : 1), 0, 7);
      context.fillStyle = colour; context.fill();
      if (this.radius > 3 || wide) { context.lineWidth = wide ? Math.max(1.5, this.radius * .32) : .8; context.strokeStyle = ink; context.stroke(); }
      const label = graph.names[index];
      if (!onEdges && this.radius >= 8 && label.length <= 3) { context.fillStyle = bright(colour) ? "#222" : "#fff"; context.font = "9px system-ui, sans-serif"; context.textAlign = "center"; context.fillText(label, x, y + 3); }
    }
    this.base.setAttribute("aria-label", `${measure.name}: map of ${stage.size} nodes and ${count} edges; the tables below have all values`);
    this.about.textContent = measure.about + (this.explorer.high.size ? " A thick rim marks high nodes." : "");
    this.legend.replaceChildren(...(scale.on.low === null ? [element("span", {}, "no values")] : scale.on.flat ? [element("span", {}, `everywhere ${number(scale.on.low)}`)] : [element("span", {}, number(scale.on.low)), this.bar(scale), element("span", {}, number(scale.on.high)), element("span", {}, this.scale === "linear" ? "" : this.scale === "rank" ? "by rank" : "logarithmic")]));
    this.overlay();
  }
  /** The part of the colours that values have. */
  bar(scale) {
    const [first, last] = [scale.on.low, scale.on.high].map(value => scale.on.share(value));
    const stops = Array.from({ length: 9 }, (_, i) => mixed(scale.ramp, first + (last - first) * i / 8));
    const bar = element("i", {}); bar.style.background = `linear-gradient(90deg, ${stops.join(",")})`;
    return bar;
  }
  dashes(context, edges, keep, colour) {
    context.beginPath(); context.setLineDash([3, 3]);
    for (let edge = 0; edge < edges.length / 2; edge++) if (keep(edge)) { context.moveTo(...this.node(edges[2 * edge])); context.lineTo(...this.node(edges[2 * edge + 1])); }
    context.strokeStyle = colour; context.lineWidth = 1; context.stroke(); context.setLineDash([]);
  }
  overlay() {
    if (!this.size) return;
    const context = this.top.getContext("2d"), { width, height, ratio } = this.size, { stage, picked, under } = this.explorer;
    context.setTransform(ratio, 0, 0, ratio, 0, 0); context.clearRect(0, 0, width, height);
    for (const [item, colour] of [[under, dark() ? "#7cc4f2" : "#0068a6"], [picked, dark() ? "#ff9a52" : "#d55e00"]]) {
      if (!item) continue;
      context.strokeStyle = colour; context.lineWidth = 3; context.beginPath();
      if (item.kind === "node") context.arc(...this.node(item.index), this.radius * 1.4 + 4, 0, 7);
      else { context.lineWidth = 7; context.globalAlpha = .6; context.lineCap = "round"; context.moveTo(...this.node(stage.edges[2 * item.index])); context.lineTo(...this.node(stage.edges[2 * item.index + 1])); }
      context.stroke(); context.globalAlpha = 1;
    }
  }
  at(event) {
    const box = this.base.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top, { stage } = this.explorer;
    let best = null, least = Math.max(this.radius * 1.4, 8) ** 2;
    for (let index = 0; index < stage.size; index++) { const [a, b] = this.node(index), far = (a - x) ** 2 + (b - y) ** 2; if (far < least) { least = far; best = { kind: "node", index }; } }
    if (best) return best;
    least = 36;
    for (let index = 0; index < stage.edges.length / 2; index++) {
      const [a, b] = this.node(stage.edges[2 * index]), [c, d] = this.node(stage.edges[2 * index + 1]), length = (c - a) ** 2 + (d - b) ** 2;
      const t = length ? Math.min(1, Math.max(0, ((x - a) * (c - a) + (y - b) * (d - b)) / length)) : 0;
      const far = (a + t * (c - a) - x) ** 2 + (b + t * (d - b) - y) ** 2;
      if (far < least) { least = far; best = { kind: "edge", index }; }
    }
    return best;
  }
  listen() {
    const explorer = this.explorer;
    let drag = null;
    this.base.addEventListener("pointermove", event => {
      if (drag) { explorer.view.x = drag.x + event.clientX - drag.atX; explorer.view.y = drag.y + event.clientY - drag.atY; drag.moved ||= Math.hypot(event.clientX - drag.atX, event.clientY - drag.atY) > 4; explorer.draw(); return; }
      const item = this.at(event);
      explorer.hover(item);
      if (item) showTip(explorer.describe(item).replaceAll(", ", "\n"), event.clientX, event.clientY); else hideTip();
    });
    this.base.addEventListener("pointerleave", () => { explorer.hover(null); hideTip(); });
    this.base.addEventListener("pointerdown", event => { drag = { ...explorer.view, atX: event.clientX, atY: event.clientY, moved: false }; this.base.setPointerCapture(event.pointerId); });
    this.base.addEventListener("pointerup", event => { if (drag && !drag.moved) explorer.pick(this.at(event)); drag = null; });
    this.base.addEventListener("pointercancel", () => { drag = null; });
    this.base.addEventListener("wheel", event => {
      if (!event.ctrlKey && document.activeElement !== this.base) return; // the page scrolls unless the map is chosen
      event.preventDefault();
      const box = this.base.getBoundingClientRect();
      explorer.zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2, event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2);
    }, { passive: false });
    this.base.addEventListener("keydown", event => this.key(event));
  }
  key(event) {
    const explorer = this.explorer, { stage, picked } = explorer, at = explorer.graph.position;
    const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (event.key in directions) {
      const start = !picked ? null : picked.kind === "node" ? picked.index : stage.edges[2 * picked.index];
      let best = start === null && stage.size ? 0 : null, least = Infinity;
      if (start !== null) for (let index = 0; index < stage.size; index++) {
        const dx = at[2 * index] - at[2 * start], dy = at[2 * index + 1] - at[2 * start + 1], along = dx * directions[event.key][0] + dy * directions[event.key][1];
        if (along <= 1e-6) continue;
        const far = along + 2 * Math.abs(dx * directions[event.key][1] + dy * directions[event.key][0]);
        if (far < least) { least = far; best = index; }
      }
      if (best !== null) explorer.pick({ kind: "node", index: best });
    } else if (event.key === "e" && picked) {
      const end = picked.kind === "node" ? picked.index : stage.edges[2 * picked.index], from = picked.kind === "edge" ? picked.index : -1;
      const own = []; for (let edge = 0; edge < stage.edges.length / 2; edge++) if (stage.edges[2 * edge] === end || stage.edges[2 * edge + 1] === end) own.push(edge);
      if (own.length) explorer.pick({ kind: "edge", index: own.find(edge => edge > from) ?? own[0] });
    } else if (event.key === "Escape") explorer.pick(null);
    else if (event.key === "+" || event.key === "=") explorer.zoom(1.5);
    else if (event.key === "-") explorer.zoom(1 / 1.5);
    else return;
    event.preventDefault();
  }
}

function bright(colour) { const [r, g, b] = colour.match(/\d+/g).map(Number); return .299 * r + .587 * g + .114 * b > 130; }

/** All nodes or all edges, fifty at a time; its rows and the maps mark each other. */
class PagedTable {
  constructor(explorer, place, kind) {
    this.explorer = explorer; this.kind = kind; this.page = 0; this.by = 0; this.up = true; this.words = "";
    const title = kind === "node" ? "All nodes" : "All edges";
    this.table = element("table", {}); this.where = element("span", { class: "note" });
    const step = (text, change, label) => element("button", { type: "button", "aria-label": label, onclick: () => { this.page += change; this.show(); } }, text);
    place.append(element("section", { class: kind + "s" }, element("h2", {}, title),
      element("p", { class: "row" }, element("input", { type: "search", placeholder: "filter by name", "aria-label": "Filter " + title.toLowerCase(), oninput: event => { this.words = event.target.value; this.page = 0; this.arrange(); } }), step("◀", -1, "Rows before"), this.where, step("▶", 1, "Rows after")),
      element("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": title }, this.table)));
    this.fill();
  }
  get measures() { return this.kind === "node" ? this.explorer.stage.nodes : this.explorer.stage.links; }
  fill() {
    const names = [this.kind, ...(this.kind === "node" ? ["high"] : ["new"]), ...this.measures.map(measure => measure.name)];
    this.by = Math.min(this.by, names.length - 1);
    const heads = names.map((name, column) => element("th", { scope: "col" }, element("button", { type: "button", onclick: () => { this.up = this.by === column ? !this.up : column === 0; this.by = column; this.page = 0; this.arrange(); } }, name)));
    this.heads = heads;
    // on the whole body: a row that is replaced under the pointer is never left
    this.body = element("tbody", {
      onpointerover: event => { const row = event.target.closest("tr"); if (row) this.explorer.hover({ kind: this.kind, index: Number(row.dataset.index) }); },
      onpointerleave: () => this.explorer.hover(null) });
    this.table.replaceChildren(element("caption", { class: "unseen" }, `Values of every ${this.kind}`), element("thead", {}, element("tr", {}, ...heads)), this.body);
    this.arrange();
  }
  value(index, column) {
    if (column === 0) return this.explorer.name({ kind: this.kind, index });
    if (column === 1) return this.kind === "node" ? Number(this.explorer.high.has(index)) : this.explorer.stage.fresh[index];
    return this.measures[column - 2].values[index];
  }
  arrange() {
    const count = this.kind === "node" ? this.explorer.stage.size : this.explorer.stage.edges.length / 2;
    const keep = Array.from({ length: count }, (_, i) => i).filter(index => !this.words || matches(this.value(index, 0), this.words));
    this.order = keep.sort((a, b) => {
      const x = this.value(a, this.by), y = this.value(b, this.by);
      if (x === null || y === null) return (x === null) - (y === null);
      return (this.up ? 1 : -1) * (typeof x === "string" ? x.localeCompare(y, undefined, { numeric: true }) : x - y) || a - b;
    });
    this.heads.forEach((head, column) => column === this.by ? head.setAttribute("aria-sort", this.up ? "ascending" : "descending") : head.removeAttribute("aria-sort"));
    this.show();
  }
  show() {
    const pages = Math.max(1, Math.ceil(this.order.length / PAGE));
    this.page = Math.min(Math.max(this.page, 0), pages - 1);
    const shown = this.order.slice(this.page * PAGE, (this.page + 1) * PAGE);
    this.where.textContent = this.order.length ? `${this.page * PAGE + 1} to ${this.page * PAGE + shown.length} of ${this.order.length}` : "none";
    this.body.replaceChildren(...shown.map(index => {
      const item = { kind: this.kind, index }, pick = () => this.explorer.pick(same(item, this.explorer.picked) ? null : item, this);
      return element("tr", { tabindex: 0, "data-index": index, "aria-selected": same(item, this.explorer.picked) ? "true" : "false", onclick: pick,
        onkeydown: event => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); pick(); } } },
      ...this.heads.map((_, column) => { const value = this.value(index, column); return element("td", {}, column === 0 ? value : column === 1 ? (value ? "yes" : "") : number(value)); }));
    }));
  }
  picked(from) {
    const item = this.explorer.picked;
    if (item && item.kind === this.kind && from !== this) {
      let place = this.order.indexOf(item.index);
      if (place < 0) { this.words = ""; this.table.closest("section").querySelector("input").value = ""; this.arrange(); place = this.order.indexOf(item.index); }
      this.page = Math.floor(place / PAGE); this.show();
      const row = this.body.querySelector("[aria-selected=true]"), scroll = row.closest(".scroll");
      scroll.scrollTop = row.offsetTop - scroll.clientHeight / 2;
    } else for (const row of this.body.rows) row.setAttribute("aria-selected", String(Boolean(item) && item.kind === this.kind && Number(row.dataset.index) === item.index));
  }
}

/** The distribution of a column as bars; a bar filters the table to its graphs. */
function histogram(name, values, filter) {
  const known = values.filter(value => value !== null), low = Math.min(...known), high = Math.max(...known), width = 360, height = 130, left = 34;
  const skewed = low > 0 && high / low > 50, to = skewed ? Math.log : value => value, count = Math.max(1, Math.min(24, new Set(known).size));
  const bin = value => high === low ? 0 : Math.min(count - 1, Math.floor((to(value) - to(low)) / (to(high) - to(low)) * count));
  const bars = Array(count).fill(0); known.forEach(value => bars[bin(value)]++);
  const most = Math.max(...bars), svg = element("svg", { viewBox: `0 0 ${width} ${height + 20}`, role: "group", "aria-label": `${name}: how many graphs have which value` });
  const back = i => { const value = to(low) + (to(high) - to(low)) * i / count; return skewed ? Math.exp(value) : value; };
  bars.forEach((number_, i) => {
    const size = number_ / most * (height - 14), step = (width - left - 4) / count, text = `${number(back(i))} to ${number(back(i + 1))}: ${number_} graphs`;
    if (number_) svg.append(tipped(element("rect", { class: "column", tabindex: 0, role: "button", "aria-label": text, x: left + i * step, y: height - size, width: Math.max(1, step - 1.5), height: size,
      onclick: () => filter(name, i, bin), onkeydown: event => { if (event.key === "Enter") filter(name, i, bin); } }), text));
  });
  svg.append(element("text", { x: left, y: height + 15 }, number(low)), element("text", { x: width - 4, y: height + 15, "text-anchor": "end" }, number(high)), element("text", { x: left - 5, y: 14, "text-anchor": "end" }, String(most)));
  return element("figure", {}, element("h3", {}, name), svg, element("p", {}, `${skewed ? "logarithmic; " : ""}${values.length - known.length ? values.length - known.length + " graphs without a value" : ""}`));
}

if (data.kind === "graph" && data.graph) new Explorer(document.getElementById("explorer"), data.graph, data.shown);
if (data.kind === "dataset") {
  const table = document.getElementById("graphs"), rows = [...table.tBodies[0].rows], count = element("span", { class: "note" });
  table.closest(".scroll").before(element("p", { class: "row" }, count, element("button", { type: "button", onclick: () => filterRows(table.tBodies[0], () => true, count) }, "all graphs")));
  rows.forEach((row, place) => { row.dataset.place = place; });
  const filter = (name, i, bin) => { const column = data.columns.indexOf(name); filterRows(table.tBodies[0], row => { const value = data.rows[row.dataset.place][column]; return value !== null && bin(value) === i; }, count); say(count.textContent); };
  document.getElementById("histograms").append(...data.columns.slice(1).map((name, i) => histogram(name, data.rows.map(row => row[i + 1]), filter)));
  document.querySelectorAll("button[data-graph]").forEach(button => button.addEventListener("click", () => {
    const place = document.getElementById("opened"), graph = data.graphs[button.dataset.graph];
    place.replaceChildren(element("h2", {}, graph.title), element("p", {}, "The whole report: ", element("code", {}, graph.command), " ", copyButton(graph.command, "copy")));
    new Explorer(place, graph, data.shown); place.hidden = false; place.scrollIntoView({ block: "start" }); say("Opened " + graph.title);
  }));
}
