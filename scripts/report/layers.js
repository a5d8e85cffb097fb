// SPDX-License-Identifier: Apache-2.0
// Tables of layers: blocks that fold, columns that sort, a box that finds layers, and a choice of the figure that runs are compared by.
"use strict";
(() => {
  const tables = [...document.querySelectorAll(".layers")];
  const box = document.getElementById("find-layer");
  const found = document.getElementById("found");

  function members(head) {
    return [...head.parentElement.querySelectorAll(`.member[data-block="${head.dataset.block}"]`)];
  }

  function setFold(head, isOpen) {
    head.querySelector(".fold").setAttribute("aria-expanded", isOpen);
    show();
  }

  /** Whether the box's words are all in what a row says of itself. */
  function matches(row) {
    const text = row.dataset.words.toLowerCase();
    return box.value.toLowerCase().split(/\s+/).every((word) => text.includes(word));
  }

  /** Shows what is found; without words in the box, all but what is folded. */
  function show() {
    const isSearch = box.value.trim() !== "";
    let number = 0, all = 0;
    for (const row of document.querySelectorAll("[data-words]")) {
      const isMatch = matches(row);
      const head = row.matches(".member") && row.parentElement.querySelector(`.block[data-block="${row.dataset.block}"]`);
      const isFolded = head && head.querySelector(".fold").getAttribute("aria-expanded") === "false";
      row.hidden = isSearch ? !isMatch : Boolean(isFolded);
      if (row.matches("#layer-table tr:not(.on-cpu), #cpu-table tr")) {
        ++all;
        number += isMatch;
      }
    }
    for (const head of document.querySelectorAll(".layers .block")) {
      head.hidden = isSearch && members(head).every((row) => row.hidden);
    }
    found.textContent = isSearch ? `${number} of ${all}` : "";
  }

  function find(event) {
    if (event.key === "Enter" && box.value.trim() !== "") {
      const first = [...document.querySelectorAll("#layer-table tr[data-words]:not(.on-cpu), #cpu-table tr[data-words]")].find((row) => !row.hidden);
      if (first) {
        location.hash = first.id;
        first.focus();
      }
    } else if (event.key === "Escape") {
      box.value = "";
      show();
    }
  }

  /** Opens the block of the row that the address leads to, and clears the box if it hides that. */
  function open() {
    const row = document.getElementById(decodeURIComponent(location.hash.slice(1)))?.closest("[data-words]");
    if (!row || !row.hidden) {
      return;
    }
    box.value = "";
    const head = row.matches(".member") && row.parentElement.querySelector(`.block[data-block="${row.dataset.block}"]`);
    head?.querySelector?.(".fold").setAttribute("aria-expanded", true);
    show();
    row.scrollIntoView({ block: "center" });
  }

  /** Sorts by a column: numbers falling first, texts rising first, the other way round the second time. Layers stay behind their block. */
  function sortBy(table, column, heading) {
    const body = table.tBodies[0];
    const key = (row) => row.cells[column].dataset.value;
    const isNumber = [...body.rows].every((row) => key(row) !== undefined);
    const before = heading.getAttribute("aria-sort");
    const falling = before ? before === "ascending" : isNumber;
    const compare = (a, b) => (falling ? -1 : 1) * (isNumber ? key(a) - key(b) : a.cells[column].textContent.localeCompare(b.cells[column].textContent));
    const heads = [...body.rows].filter((row) => !row.matches(".member")).sort(compare);
    for (const other of table.tHead.rows[0].cells) {
      other.removeAttribute("aria-sort");
    }
    heading.setAttribute("aria-sort", falling ? "descending" : "ascending");
    body.append(...heads.flatMap((head) => (head.matches(".block") ? [head, ...members(head).sort(compare)] : [head])));
  }

  for (const table of document.querySelectorAll(".sortable")) {
    [...table.tHead.rows[0].cells].forEach((heading, column) => {
      heading.querySelector("button").addEventListener("click", () => sortBy(table, column, heading));
    });
  }

  for (const table of tables) {
    for (const head of table.querySelectorAll(".block")) {
      const button = head.querySelector(".fold");
      button.addEventListener("click", () => setFold(head, button.getAttribute("aria-expanded") === "false"));
      button.setAttribute("aria-expanded", table.dataset.folded === undefined);
    }
  }
  for (const all of document.querySelectorAll(".fold-all")) {
    all.addEventListener("click", () => {
      const heads = [...document.getElementById(all.getAttribute("aria-controls")).querySelectorAll(".fold")];
      const isOpen = heads.some((one) => one.getAttribute("aria-expanded") === "false");
      heads.forEach((one) => one.setAttribute("aria-expanded", isOpen));
      show();
    });
  }

  for (const choice of document.querySelectorAll("[name=figure]")) {
    choice.addEventListener("change", () => document.querySelectorAll("[data-figure]").forEach((part) => { part.hidden = part.dataset.figure !== choice.value; }));
  }

  box.addEventListener("input", show);
  box.addEventListener("keydown", find);
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !event.target.matches("input")) {
      event.preventDefault();
      box.focus();
    }
  });
  addEventListener("hashchange", open);
  show();
  open();
})();
