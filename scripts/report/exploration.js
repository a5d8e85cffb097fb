// SPDX-License-Identifier: Apache-2.0
// Draws the page of explorations: objectives, fields, a machine, the table; all of what the filters leave.
"use strict";
(() => {
  const all = JSON.parse(document.getElementById("data").textContent);
  const colours = ["compute", "psum", "output"].map((name) => `var(--${name})`);
  const points = all.flatMap((of, index) => of.designs.map((design, place) => ({ of, index, design, place })));
  const objectives = all[0].minimize.filter((name) => all.every((of) => of.minimize.includes(name)));
  const axes = all[0].axes.filter((axis) => all.every((of) => of.axes.some((other) => other.name === axis.name)));
  const domains = Object.fromEntries(axes.map(({ name }) => [name, [...new Set(points.map((p) => p.design[name]))].sort((a, b) => (a > b) - (a < b))]));
  const settings = ["memory", "residency", "batch"]; // How a machine runs the networks.
  const at = (id) => document.getElementById(id);
  const chosen = {};
  let opened = points.filter((point) => point.index === 0 && point.design.front).reduce((a, b) => (b.design[objectives[0]] < a.design[objectives[0]] ? b : a));
  let sorted = objectives[0], isUp = true;

  function make(name, attributes, ...children) {
    const isDrawing = ["svg", "g", "circle", "line", "polyline", "text", "title", "rect"].includes(name);
    const node = isDrawing ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
    Object.entries(attributes || {}).forEach(([key, value]) => (key.startsWith("on") ? node.addEventListener(key.slice(2), value) : node.setAttribute(key, value)));
    node.append(...children);
    return node;
  }
  const short = (number) => Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 }).format(number);
  const full = (value) => (typeof value === "number" ? Intl.NumberFormat("en", { maximumFractionDigits: Math.abs(value) < 1000 ? 1 : 0, signDisplay: "negative" }).format(value) : String(value));
  const nameOf = (point) => (all.length > 1 ? `${point.of.label}: ` : "") + point.design.machine;
  const left = () => points.filter(({ design }) => (!chosen.front || design.front) && axes.every(({ name }) => !chosen[name] || String(design[name]) === chosen[name]));

  // From the least to the greatest value: in equal factors where these are far apart, else in equal steps.
  function scaleOf(values, from, to) {
    const low = Math.min(...values), high = Math.max(...values), isWide = low > 0 && high > 20 * low;
    const flat = isWide ? Math.log : (value) => value, a = flat(low), b = flat(high);
    return {
      low, high,
      of: (value) => (b > a ? from + ((flat(value) - a) / (b - a)) * (to - from) : (from + to) / 2),
      at: (part) => (isWide ? Math.exp(a + (b - a) * part) : a + (b - a) * part),
    };
  }
  const words = (point) => `${nameOf(point)}; ${objectives.map((name) => `${name} ${full(point.design[name])}`).join(", ")}`;

  function scatter(shown) {
    const x = at("x").value, y = at("y").value, wide = 900, high = 420;
    const across = scaleOf(shown.map((p) => p.design[x]), 80, wide - 30), up = scaleOf(shown.map((p) => p.design[y]), high - 50, 20);
    const drawing = make("svg", { class: "plot", viewBox: `0 0 ${wide} ${high}`, role: "group", "aria-label": `${y} over ${x}` });
    for (let step = 0; step <= 4; ++step) {
      const a = across.at(step / 4), b = up.at(step / 4);
      drawing.append(make("line", { x1: across.of(a), x2: across.of(a), y1: 20, y2: high - 50 }), make("line", { x1: 80, x2: wide - 30, y1: up.of(b), y2: up.of(b) }));
      drawing.append(make("text", { x: across.of(a), y: high - 30, "text-anchor": "middle" }, short(a)), make("text", { x: 72, y: up.of(b) + 4, "text-anchor": "end" }, short(b)));
    }
    drawing.append(make("text", { class: "title", x: wide / 2, y: high - 8, "text-anchor": "middle" }, x), make("text", { class: "title", x: 80, y: 12 }, y));
    all.forEach((of, index) => {
      let best = Infinity;
      const line = shown.filter((p) => p.index === index).sort((a, b) => a.design[x] - b.design[x] || a.design[y] - b.design[y]).filter((p) => p.design[y] < best && ((best = p.design[y]), true));
      drawing.append(make("polyline", { class: "front", stroke: colours[index], points: line.map((p) => `${across.of(p.design[x])},${up.of(p.design[y])}`).join(" ") }));
    });
    const ordered = [...shown].sort((a, b) => a.design[x] - b.design[x]);
    const start = ordered.includes(opened) ? opened : ordered[0];
    const circles = ordered.map((point) => make("circle", {
      cx: across.of(point.design[x]), cy: up.of(point.design[y]), r: point.design.front ? 5 : 3.5, fill: colours[point.index], tabindex: point === start ? 0 : -1, role: "button",
      "aria-label": words(point), class: `${point.design.front ? "front" : ""} ${point === opened ? "open" : ""}`, onclick: () => open(point),
    }, make("title", {}, words(point))));
    drawing.addEventListener("keydown", (event) => {
      const place = circles.indexOf(event.target), step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (step && circles[place + step]) {
        circles[place].setAttribute("tabindex", -1);
        circles[place + step].setAttribute("tabindex", 0);
        circles[place + step].focus();
      } else if (event.key === "Enter" || event.key === " ") {
        open(ordered[place]);
        at("scatter").querySelector("[tabindex='0']").focus();
      }
      if (step || event.key === "Enter" || event.key === " ") event.preventDefault();
    });
    drawing.append(...circles);
    at("scatter").replaceChildren(drawing);
  }

  function parallel(shown) {
    const names = [...axes.map((axis) => axis.name), ...objectives], wide = 900, high = 334;
    const place = (index) => 60 + (index * (wide - 120)) / Math.max(1, names.length - 1);
    const scales = names.map((name) => (domains[name] ? { ...scaleOf(domains[name].map((_, i) => i), high - 54, 30), ends: [domains[name][0], domains[name].at(-1)].map(String), value: (v) => domains[name].indexOf(v) }
      : ((scale) => ({ ...scale, ends: [short(scale.low), short(scale.high)], value: (v) => v }))(scaleOf(shown.map((p) => p.design[name]), high - 54, 30))));
    const drawing = make("svg", { class: "plot", viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": "Each machine's fields and objectives as a line" });
    const order = [...shown].sort((a, b) => (a === opened) - (b === opened) || a.design.front - b.design.front);
    order.forEach((point) => drawing.append(make("polyline", {
      class: `${point.design.front ? "front" : ""} ${point === opened ? "open" : ""}`, stroke: colours[point.index],
      points: names.map((name, i) => `${place(i)},${scales[i].of(scales[i].value(point.design[name]))}`).join(" "),
    })));
    names.forEach((name, i) => drawing.append(make("line", { x1: place(i), x2: place(i), y1: 30, y2: high - 54 }), make("text", { x: place(i), y: 18, "text-anchor": "middle" }, scales[i].ends[1]),
      make("text", { x: place(i), y: high - 38, "text-anchor": "middle" }, scales[i].ends[0]), make("text", { class: "title", x: place(i), y: high - (i % 2 ? 4 : 20), "text-anchor": "middle" }, name)));
    at("parallel").replaceChildren(drawing);
  }

  function table(headings, rows, caption) {
    const isNumber = (value) => typeof value === "number";
    return make("div", { class: "scroll" }, make("table", {}, make("caption", {}, caption), make("thead", {}, make("tr", {}, ...headings.map((text, i) => make("th", { scope: "col", class: isNumber(rows[0]?.[i]) ? "number" : "" }, text)))),
      make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((value, i) => make(i ? "td" : "th", { class: isNumber(value) ? "number" : "" }, full(value))))))));
  }

  // What takes most of the cycles, in words.
  const meanings = {
    compute: "the PEs: most cycles multiply", psum: "the psum units: more psum_lanes would help", filter: "the feed of filters: filter_bytes_per_cycle, or filters that stay longer",
    ifmap: "the feed of ifmaps: ifmap_bytes_per_cycle", dram: "the bus to the DRAM: bus_bytes, or a GLB that keeps more", output: "the writing of outputs: bus_bytes", control: "control between passes: larger passes", cpu: "layers on the CPU",
  };
  function binds(of, design) {
    return design.cycles_by_network.map((cycles, n) => {
      const sum = cycles.reduce((a, b) => a + b, 0), order = cycles.map((_, i) => i).sort((a, b) => cycles[b] - cycles[a]);
      const said = order.slice(0, 2).filter((i) => cycles[i] > 0.1 * sum).map((i) => `${((100 * cycles[i]) / sum).toFixed(0)} % ${meanings[of.causes[i]] ?? of.causes[i]}`);
      return `${of.networks[n]}: ${said.join("; ")}.`;
    });
  }

  function machine() {
    const { of, design, place } = opened;
    const file = JSON.stringify({ ...of.fields, ...design.fields }, null, 1) + "\n";
    const save = make("a", { id: "save", download: `${design.machine}.json`, href: URL.createObjectURL(new Blob([file], { type: "application/json" })) }, "Save the machine file");
    const total = design.area.reduce((a, b) => a + b, 0), mine = (row) => ["machine", ...settings].every((name) => row[name] === design[name]);
    const options = (design.residency === "chip" ? " --residency chip" : "") + (design.batch > 1 ? ` --batch ${design.batch}` : "");
    const parts = [
      make("h3", {}, nameOf(opened)),
      make("p", {}, objectives.map((name) => `${name} ${full(design[name])}`).join(" · "), ...settings.filter((name) => name in design).map((name) => ` · ${name} ${design[name]}`), ` · ${design.front ? "on the front" : "not on the front"}`),
      make("p", {}, save, ", for ", make("code", {}, `fovea run MODEL --machine ${design.machine}.json --dram ${design.memory}${options}`)),
      make("h3", {}, "What binds"), make("ul", { id: "binds" }, ...binds(of, design).map((text) => make("li", {}, text))),
      make("div", { class: "columns" }, make("pre", { tabindex: 0, "aria-label": "Machine file" }, file),
        table(["part", "gates", "%"], of.parts.map((part, i) => [part, design.area[i], (100 * design.area[i]) / total]).sort((a, b) => b[1] - a[1]), "Area by part")),
      table(["network", "cycles", ...of.causes], of.networks.map((name, i) => [name, design.cycles_by_network[i].reduce((a, b) => a + b, 0), ...design.cycles_by_network[i]]), "Cycles by cause"),
    ];
    const layers = of.layers[place];
    if (layers) parts.push(make("details", {}, make("summary", {}, `${layers.length} layers, cycles by cause`), table(["network", "layer", ...of.causes], layers, "")));
    for (const [name, caption] of [["confirmed", "Confirmed by a run"], ["steps", "One field a step down or up"]]) {
      const rows = of[name].filter(mine).map((row) => Object.fromEntries(Object.entries(row).filter(([key]) => key !== "machine" && !settings.includes(key))));
      if (rows.length) parts.push(table(Object.keys(rows[0]).map((text) => text.replaceAll("_", " ")), rows.map(Object.values), caption));
    }
    at("opened").replaceChildren(...parts);
  }

  function list(shown) {
    const names = ["machine", ...(all.length > 1 ? ["exploration"] : []), ...axes.map((axis) => axis.name), ...objectives];
    const value = (point, name) => (name === "exploration" ? point.of.label : point.design[name]);
    at("headings").replaceChildren(...names.map((name) => make("th", { scope: "col", ...(name === sorted ? { "aria-sort": isUp ? "ascending" : "descending" } : {}) },
      make("button", { type: "button", onclick: () => { isUp = name === sorted ? !isUp : true; sorted = name; list(left()); [...at("headings").children][names.indexOf(name)].firstChild.focus(); } }, name.replaceAll("_", " ")))));
    const rows = [...shown].sort((a, b) => (isUp ? 1 : -1) * ((value(a, sorted) > value(b, sorted)) - (value(a, sorted) < value(b, sorted))));
    at("rows").replaceChildren(...rows.map((point) => make("tr", {}, ...names.map((name) => (name === "machine"
      ? make("th", { scope: "row" }, make("a", { href: "#machine", onclick: () => open(point) }, point.design.machine), point.design.front ? " ●" : "")
      : make("td", { class: typeof value(point, name) === "number" ? "number" : "" }, full(value(point, name))))))));
  }

  function draw() {
    const shown = left();
    at("counts").textContent = `${full(shown.length)} of ${full(points.length)} machines, ${full(shown.filter((p) => p.design.front).length)} on the front`;
    if (shown.length) { scatter(shown); parallel(shown); } else { at("scatter").replaceChildren("No machine is left; loosen a filter."); at("parallel").replaceChildren(); }
    list(shown);
  }
  function open(point) { opened = point; machine(); const shown = left(); if (shown.length) { scatter(shown); parallel(shown); } }

  for (const [id, place] of [["x", 0], ["y", 1]]) {
    at(id).append(...objectives.map((name) => make("option", { value: name }, name)));
    at(id).value = objectives[Math.min(place, objectives.length - 1)];
    at(id).addEventListener("change", draw);
  }
  const only = make("input", { type: "checkbox", id: "only", onchange: () => { chosen.front = only.checked; draw(); } });
  at("filters").append(make("label", {}, only, " front only"), ...axes.map(({ name }) => {
    const select = make("select", { name, onchange: () => { chosen[name] = select.value; draw(); } }, make("option", { value: "" }, "all"), ...domains[name].map((value) => make("option", { value }, String(value))));
    return make("label", {}, `${name} `, select);
  }));
  if (all.length > 1) at("legend").append(...all.map((of, i) => make("li", {}, make("span", { class: "swatch", style: `background: ${colours[i]}` }), of.label)));
  draw();
  machine();
})();
