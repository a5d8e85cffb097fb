// SPDX-License-Identifier: Apache-2.0
// The page without a network: words of a mark at the pointer or the keyboard, arrow keys within a chart, tables that sort.
"use strict";
(() => {
  const tip = document.getElementById("tip");

  function showTip(mark, x, y) {
    tip.textContent = mark.dataset.tip;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(8, Math.min(x + 14, innerWidth - box.width - 8))}px`;
    tip.style.top = `${y + 18 + box.height > innerHeight ? Math.max(8, y - box.height - 12) : y + 18}px`;
  }

  function hideTip() {
    tip.hidden = true;
  }

  function follow(mark) {
    if (mark.dataset.link) {
      location.hash = mark.dataset.link;
    }
  }

  /** Puts the chart's one tab stop on a mark and goes there. */
  function moveTo(mark, from) {
    from.setAttribute("tabindex", "-1");
    mark.setAttribute("tabindex", "0");
    mark.focus();
  }

  function onKey(event, mark) {
    const marks = [...mark.closest("svg").querySelectorAll(".mark")];
    const at = marks.indexOf(mark);
    const next = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: marks.length - 1 }[event.key];
    if (next !== undefined && marks[next]) {
      event.preventDefault();
      moveTo(marks[next], mark);
    } else if (event.key === "Enter") {
      follow(mark);
    } else if (event.key === "Escape") {
      hideTip();
    }
  }

  for (const mark of document.querySelectorAll(".mark")) {
    mark.addEventListener("mousemove", (event) => showTip(mark, event.clientX, event.clientY));
    mark.addEventListener("mouseleave", hideTip);
    mark.addEventListener("click", () => follow(mark));
    mark.addEventListener("keydown", (event) => onKey(event, mark));
    mark.addEventListener("blur", hideTip);
    mark.addEventListener("focus", () => {
      const box = mark.getBoundingClientRect();
      showTip(mark, box.left + box.width / 2, box.top + box.height / 2);
    });
  }

  /** Sorts by a column: numbers falling first, texts rising first, the other way round the second time. */
  function sortBy(table, column, heading) {
    const body = table.tBodies[0];
    const key = (row) => row.cells[column].dataset.value;
    const isNumber = [...body.rows].every((row) => key(row) !== undefined);
    const before = heading.getAttribute("aria-sort");
    const falling = before ? before === "ascending" : isNumber;
    const compare = (a, b) => (isNumber ? key(a) - key(b) : a.cells[column].textContent.localeCompare(b.cells[column].textContent));
    const rows = [...body.rows].sort((a, b) => (falling ? -compare(a, b) : compare(a, b)));
    for (const other of table.tHead.rows[0].cells) {
      other.removeAttribute("aria-sort");
    }
    heading.setAttribute("aria-sort", falling ? "descending" : "ascending");
    body.append(...rows);
  }

  for (const table of document.querySelectorAll(".sortable")) {
    [...table.tHead.rows[0].cells].forEach((heading, column) => {
      heading.querySelector("button").addEventListener("click", () => sortBy(table, column, heading));
    });
  }
})();
