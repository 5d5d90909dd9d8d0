/* Selecting rows of the queue: x for one, Shift+x for the stretch since the last, and how many are chosen. */
"use strict";
(() => {
  const form = document.querySelector("[data-selects]");
  if (!form) return;
  const count = form.querySelector("[data-selected]");
  const none = count?.textContent;
  let last = null;

  const boxes = () => [...form.querySelectorAll("input[name=record]")];

  function tell() {
    const chosen = boxes().filter((box) => box.checked).length;
    if (count) count.textContent = chosen ? String(chosen) : none;
  }

  form.addEventListener("change", tell);
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "x" || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (["TEXTAREA", "SELECT"].includes(event.target.tagName) || event.target.type === "search" || event.target.type === "text") return;
    if (document.documentElement.dataset.keys === "off") return;
    const box = document.querySelector("[data-row][data-current] input[name=record]");
    if (!box) return;
    event.preventDefault();
    const all = boxes();
    const from = event.shiftKey && last ? all.indexOf(last) : all.indexOf(box);
    const [start, end] = [from, all.indexOf(box)].sort((a, b) => a - b);
    const value = event.shiftKey && last ? last.checked : !box.checked;
    all.slice(start, end + 1).forEach((one) => (one.checked = value));
    last = box;
    tell();
  });
})();
