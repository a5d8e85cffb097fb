// SPDX-License-Identifier: Apache-2.0
// Draws each chart with Vega-Lite when it comes into view, as wide as there is room; colours follow the page's variables.
"use strict";
(() => {
  const font = getComputedStyle(document.body).fontFamily;
  const axis = {
    domainColor: "var(--line)", tickColor: "var(--line)", gridColor: "var(--line)", labelColor: "var(--ink)",
    titleColor: "var(--quiet)", titleFontWeight: "normal", labelFontSize: 11, titleFontSize: 11, labelPadding: 5,
  };
  const plain = { domain: false, ticks: false, grid: false };
  const config = {
    font, background: null, axis, view: { stroke: null }, axisYBand: plain,
    text: { fontSize: 11, color: "var(--ink)" }, bar: { discreteBandSize: { band: 0.7 } }, scale: { bandPaddingInner: 0 },
  };
  const logger = vega.logger(vega.Error);
  const letter = 6.3, share = 0.45, fewest = 26;  // A letter's width in pixels; the part of a chart that names may take, and what they take anyway.

  // A name that is longer, without its middle.
  function fitting(name, letters) {
    const half = Math.floor((letters - 1) / 2);
    return name.length > letters ? `${name.slice(0, half)}…${name.slice(-half)}` : name;
  }

  // A chart's form with the names of its axes as long as there is room.
  function formOf(box) {
    const letters = Math.max(fewest, Math.floor((share * box.clientWidth) / letter));
    return JSON.parse(box.querySelector("script").textContent, (_, axis) => {
      if (!axis?.names) {
        return axis;
      }
      const { names, ...rest } = axis;
      return { ...rest, labelExpr: `${JSON.stringify(names.map((name) => fitting(name, letters)))}[datum.value]` };
    });
  }

  function draw(box) {
    if (box.dataset.drawn !== undefined) {
      return;
    }
    box.dataset.drawn = "";
    const form = vegaLite.compile(formOf(box), { config, logger }).spec;
    const container = document.createElement("div");
    box.append(container);
    const view = new vega.View(vega.parse(form, {}, { ast: true }), { expr: vega.expressionInterpreter, renderer: "svg", container, logger }).run();
    const drawing = container.querySelector("svg");
    drawing.setAttribute("tabindex", "0");
    drawing.setAttribute("role", "group");
    drawing.setAttribute("aria-label", box.getAttribute("aria-label"));
    box.dispatchEvent(new CustomEvent("drawn", { detail: view }));
  }

  const charts = [...document.querySelectorAll(".chart")];
  const seen = new IntersectionObserver((entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => draw(entry.target)), { rootMargin: "600px" });
  charts.forEach((box) => seen.observe(box));
  addEventListener("beforeprint", () => charts.forEach(draw));
})();
