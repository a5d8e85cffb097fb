// SPDX-License-Identifier: Apache-2.0
// The timeline: boxes of the window that is shown, each as strong as its unit is busy; buttons, a list of layers and dragging choose another window.
"use strict";
(() => {
  const section = document.getElementById("timeline");
  if (!section) {
    return;
  }
  const BOXES = 150, LETTER = 7; // In a row at most; pixels.
  const found = JSON.parse(document.getElementById("timeline-data").textContent);
  const units = found.units.map((unit) => ({ ...unit, busy: Uint8Array.from(atob(unit.busy), (letter) => letter.charCodeAt(0)) }));
  const box = section.querySelector(".chart"), choice = section.querySelector("select"), said = section.querySelector("output");
  const count = (number) => Math.round(number).toLocaleString("en");
  let view, from = 0, to = found.end;

  function layerAt(cycle) {
    return found.layers.find(([, begin, end]) => begin <= cycle && cycle < end)?.[0] ?? "no layer";
  }

  function boxes() {
    const bins = Math.max(1, Math.ceil((to - from) / found.width / BOXES)), step = bins * found.width;
    const all = found.layers.map(([name, x, x2], at) => ({ y: "layers", x, x2, c: "idle", o: at % 2 ? 0.6 : 1, w: `${name}: cycles ${count(x)} to ${count(x2)}`, at }));
    all.push(...found.chains.map(([name, x, x2], at) => ({ y: "depth first", x, x2, c: "idle", o: at % 2 ? 0.6 : 1, w: `${name} depth first: cycles ${count(x)} to ${count(x2)}` })));
    for (const { name, colour, busy } of units) {
      for (let x = Math.floor(from / step) * step; x < to; x += step) {
        const shares = busy.subarray(x / found.width, x / found.width + bins);
        const share = shares.reduce((sum, each) => sum + each, 0) / (255 * shares.length);
        if (share > 0) {
          const x2 = Math.min(x + step, found.end);
          all.push({ y: name, x, x2, c: colour, o: share, w: `${name}: busy in ${Math.round(100 * share)} % of cycles ${count(x)} to ${count(x2)}, ${layerAt((x + x2) / 2)}` });
        }
      }
    }
    return all;
  }

  function names() {
    const pixels = view.width() / (to - from);
    return [...found.layers.map((one) => ["layers", ...one]), ...found.chains.map((one) => ["depth first", ...one])]
      .map(([y, t, begin, end]) => ({ y, t, begin: Math.max(begin, from), end: Math.min(end, to) }))
      .filter(({ t, begin, end }) => (end - begin) * pixels > t.length * LETTER).map((one) => ({ ...one, x: (one.begin + one.end) / 2 }));
  }

  /** Shows a window, at least a few of the finest bins wide and within the run. */
  function show(begin, end) {
    const size = Math.min(found.end, Math.max(8 * found.width, end - begin));
    from = Math.round(Math.min(found.end - size, Math.max(0, begin)));
    to = Math.round(from + size);
    view.signal("from", from).signal("to", to).data("boxes", boxes()).data("names", names()).run();
    said.textContent = `cycles ${count(from)} to ${count(to)} of ${count(found.end)}`;
    choice.value = [...choice.options].find(({ value }) => value === `${from} ${to}`)?.value ?? "";
  }

  const middle = () => (from + to) / 2, size = () => to - from;
  const MOVES = {
    in: () => [middle() - size() / 4, middle() + size() / 4], out: () => [middle() - size(), middle() + size()],
    earlier: () => [from - size() / 2, to - size() / 2], later: () => [from + size() / 2, to + size() / 2], all: () => [0, found.end],
  };

  function start(drawn) {
    view = drawn;
    for (const button of section.querySelectorAll("[data-move]")) {
      button.addEventListener("click", () => show(...MOVES[button.dataset.move]()));
    }
    choice.addEventListener("change", () => choice.value && show(...choice.value.split(" ").map(Number)));
    view.addEventListener("click", (event, item) => item?.datum?.at !== undefined && show(...found.layers[item.datum.at].slice(1)));
    const cycleAt = (event) => view.scale("x").invert(event.clientX - box.querySelector("svg").getBoundingClientRect().left - view.origin()[0]);
    let dragged;
    box.addEventListener("pointerdown", (event) => { dragged = event; });
    addEventListener("pointerup", (event) => {
      if (dragged && Math.abs(event.clientX - dragged.clientX) > 8) {
        show(...[cycleAt(dragged), cycleAt(event)].sort((a, b) => a - b));
      }
      dragged = undefined;
    });
    addEventListener("resize", () => view.data("names", names()).run());
    show(0, found.end);
  }

  box.addEventListener("drawn", (event) => start(event.detail));
})();
