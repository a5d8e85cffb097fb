// SPDX-License-Identifier: Apache-2.0
// Draws a layer's mapping on the PE array when its card comes into view: which PE does which filter rows, output rows, channels and filters.
"use strict";
(() => {
  const PITCH = 34, CELL = 30, LEFT = 58, TOP = 24; // Pixels.
  const machine = JSON.parse(document.getElementById("array-machine").textContent);

  /** 4 from 0 -> "0 to 3"; 1 from 5 -> "5". */
  function firstToLast(first, number) {
    return number === 1 ? `${first}` : `${first} to ${first + number - 1}`;
  }

  /** What each PE that a full pass uses does, by "row,column". */
  function setsByPe(plan) {
    const used = new Map();
    for (const [row, col, filterSet, channelSet] of plan.sets) {
      for (let i = 0; i < plan.fold_rows; ++i) {
        for (let j = 0; j < plan.e; ++j) {
          used.set(`${row + i},${col + j}`, { filterSet, channelSet, i, j });
        }
      }
    }
    return used;
  }

  /** What PE (row, col) does, in words. */
  function words(plan, row, col, work) {
    if (!work) {
      return `PE (${row}, ${col}) is idle`;
    }
    const fold = plan.folds > 1 ? ` of each of ${plan.folds} folds` : "";
    return `PE (${row}, ${col}): filter row ${work.i}${fold}, output row ${work.j}, ifmap row ${work.j * plan.U + work.i}; ` +
      `filters ${firstToLast(work.filterSet * plan.p, plan.p)}, channels ${firstToLast(work.channelSet * plan.q, plan.q)} of a pass`;
  }

  function element(name, attributes, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) {
      made.setAttribute(key, value);
    }
    if (text !== undefined) {
      made.textContent = text;
    }
    return made;
  }

  function cell(plan, row, col, work) {
    const x = LEFT + col * PITCH, y = TOP + row * PITCH;
    const group = element("g", { class: "mark", role: "img", "aria-label": words(plan, row, col, work) });
    const box = { x, y, width: CELL, height: CELL, rx: 3, style: "fill: var(--idle)" };
    if (work) {
      box.style = `fill: var(--${plan.colours[work.filterSet % plan.colours.length]})`;
      box["fill-opacity"] = work.channelSet % 2 ? 0.45 : 1; // Pale every other channel set.
      group.append(element("rect", box),
        element("text", { x: x + CELL / 2, y: y + CELL / 2 + 4, "text-anchor": "middle", class: work.channelSet % 2 ? "on-pale" : "on-colour" }, `${work.i},${work.j}`));
    } else {
      group.append(element("rect", box));
    }
    return group;
  }

  function draw(svg) {
    if (svg.childElementCount) {
      return;
    }
    const plan = { ...JSON.parse(svg.dataset.plan), colours: machine.colours };
    const used = setsByPe(plan);
    for (let col = 0; col < machine.cols; ++col) {
      svg.append(element("text", { x: LEFT + col * PITCH + CELL / 2, y: TOP - 8, "text-anchor": "middle" }, col));
    }
    for (let row = 0; row < machine.rows; ++row) {
      svg.append(element("text", { x: LEFT - 8, y: TOP + row * PITCH + CELL / 2 + 4, "text-anchor": "end" }, `row ${row}`));
      for (let col = 0; col < machine.cols; ++col) {
        svg.append(cell(plan, row, col, used.get(`${row},${col}`)));
      }
    }
  }

  const arrays = [...document.querySelectorAll(".array")];
  const seen = new IntersectionObserver((entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => draw(entry.target)), { rootMargin: "600px" });
  arrays.forEach((svg) => seen.observe(svg));
  addEventListener("beforeprint", () => arrays.forEach(draw));
})();
