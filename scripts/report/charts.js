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

  function draw(box) {
    if (box.dataset.drawn !== undefined) {
      return;
    }
    box.dataset.drawn = "";
    const form = vegaLite.compile(JSON.parse(box.querySelector("script").textContent), { config, logger }).spec;
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
