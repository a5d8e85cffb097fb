// SPDX-License-Identifier: Apache-2.0
// Charts without a network: words of a mark at the pointer or the keyboard, arrow keys within a chart.
"use strict";
(() => {
  const tip = document.getElementById("tip");
  const markOf = (event) => event.target.closest?.(".mark");

  function showTip(mark, x, y) {
    tip.textContent = mark.getAttribute("aria-label");
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

  /** One listener for all marks, those that are drawn later too. */
  function onMark(name, act) {
    document.addEventListener(name, (event) => {
      const mark = markOf(event);
      if (mark) {
        act(mark, event);
      }
    });
  }
  onMark("mousemove", (mark, event) => showTip(mark, event.clientX, event.clientY));
  onMark("mouseout", hideTip);
  onMark("click", follow);
  onMark("keydown", (mark, event) => onKey(event, mark));
  onMark("focusout", hideTip);
  onMark("focusin", (mark) => {
    const box = mark.getBoundingClientRect();
    showTip(mark, box.left + box.width / 2, box.top + box.height / 2);
  });
})();
