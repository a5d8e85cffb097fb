// SPDX-License-Identifier: Apache-2.0
// Charts without a network: words of a mark at the pointer or the keyboard, arrow keys within a chart.
"use strict";
(() => {
  const MARKS = ".mark, .role-mark > [aria-label]"; // Of array.js, and of Vega.
  const tip = document.getElementById("tip");
  const places = new WeakMap(); // Of each chart, the number of the mark that the keyboard is at.

  function showTip(mark, x, y) {
    tip.textContent = mark.getAttribute("aria-label");
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(8, Math.min(x + 14, innerWidth - box.width - 8))}px`;
    tip.style.top = `${y + 18 + box.height > innerHeight ? Math.max(8, y - box.height - 12) : y + 18}px`;
  }

  function leave(chart) {
    chart?.querySelector(".at")?.classList.remove("at");
    tip.hidden = true;
  }

  /** Goes where the datum of a mark leads; Vega keeps that beside the element. */
  function follow(mark) {
    const link = mark?.__data__?.datum?.l;
    if (link) {
      location.hash = link;
    }
  }

  function goTo(chart, marks, at) {
    leave(chart);
    places.set(chart, at);
    marks[at].classList.add("at");
    const box = marks[at].getBoundingClientRect();
    showTip(marks[at], box.left + box.width / 2, box.top + box.height / 2);
  }

  function onKey(event) {
    const chart = event.target;
    if (!chart.matches("svg[tabindex]")) {
      return;
    }
    const marks = [...chart.querySelectorAll(MARKS)];
    const at = places.get(chart) ?? 0;
    const next = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: marks.length - 1 }[event.key];
    if (next !== undefined && marks[next]) {
      event.preventDefault();
      goTo(chart, marks, next);
    } else if (event.key === "Enter") {
      follow(marks[at]);
    } else if (event.key === "Escape") {
      leave(chart);
    }
  }

  /** One listener for all marks, those that are drawn later too. */
  function onMark(name, act) {
    document.addEventListener(name, (event) => {
      const mark = event.target.closest?.(MARKS);
      if (mark) {
        act(mark, event);
      }
    });
  }
  onMark("mousemove", (mark, event) => showTip(mark, event.clientX, event.clientY));
  onMark("mouseout", () => { tip.hidden = true; });
  onMark("click", follow);
  document.addEventListener("keydown", onKey);

  /** A table without room becomes a card a row. */
  const narrow = matchMedia("(max-width: 800px)");
  const sizes = new ResizeObserver((entries) => entries.forEach(({ target }) => {
    const table = target.firstElementChild;
    table.classList.remove("cards");
    table.classList.toggle("cards", narrow.matches && target.scrollWidth > target.clientWidth);
  }));
  for (const box of document.querySelectorAll(".scroll:has(> table)")) {
    const [table] = box.children;
    const headings = [...(table.tHead?.rows[0].cells ?? [])].map((cell) => cell.textContent);
    [...table.tBodies, table.tFoot].filter(Boolean).flatMap((part) => [...part.rows]).forEach((row) => [...row.cells].forEach((cell, at) => { cell.dataset.heading = headings[at]; }));
    sizes.observe(box);
  }
  document.addEventListener("focusout", (event) => leave(event.target.closest?.("svg[tabindex]")));
  document.addEventListener("focusin", (event) => {
    const chart = event.target;
    const marks = chart.matches("svg[tabindex]") ? [...chart.querySelectorAll(MARKS)] : [];
    if (marks.length) {
      goTo(chart, marks, Math.min(places.get(chart) ?? 0, marks.length - 1));
    }
  });
})();
