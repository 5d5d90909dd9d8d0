/* Figures on hover and focus, and arrow keys along the bars. Without this file every bar is a link with a title. */
"use strict";
(() => {
  const bars = (chart) => [...chart.querySelectorAll(".bars a")];

  /* One tab stop per chart: the last bar, then whichever was reached by the arrows. */
  function prepare(root) {
    const charts = root.matches?.("[data-chart]") ? [root] : root.querySelectorAll("[data-chart]");
    charts.forEach((chart) => {
      const all = bars(chart);
      all.forEach((bar, place) => {
        const title = bar.querySelector("title");
        if (!title) return;
        bar.setAttribute("aria-label", title.textContent.split("\n").join(", "));
        title.remove();
        bar.setAttribute("tabindex", place === all.length - 1 ? "0" : "-1");
      });
    });
  }

  function show(bar) {
    const panel = bar.closest("section")?.querySelector("[data-chart-detail]");
    if (!panel) return;
    const [first, ...rest] = bar.dataset.detail.split("\n");
    const head = document.createElement("b");
    head.textContent = first;
    const line = document.createElement("p");
    line.append(head, ...rest.map((text) => Object.assign(document.createElement("span"), { textContent: text })));
    panel.replaceChildren(line);
  }

  function move(bar, event) {
    const all = bars(bar.closest("[data-chart]"));
    const place = all.indexOf(bar);
    const target = {
      ArrowLeft: all[place - 1],
      ArrowRight: all[place + 1],
      PageUp: all[Math.max(place - 10, 0)],
      PageDown: all[Math.min(place + 10, all.length - 1)],
      Home: all[0],
      End: all[all.length - 1],
    }[event.key];
    if (!target) return;
    event.preventDefault();
    bar.setAttribute("tabindex", "-1");
    target.setAttribute("tabindex", "0");
    target.focus();
  }

  const barOf = (event) => event.target.closest?.("[data-chart] .bars a");
  document.addEventListener("pointerover", (event) => barOf(event) && show(barOf(event)));
  document.addEventListener("focusin", (event) => barOf(event) && show(barOf(event)));
  document.addEventListener("keydown", (event) => {
    if (!event.ctrlKey && !event.metaKey && !event.altKey && barOf(event)) move(barOf(event), event);
  });
  document.addEventListener("htmx:load", (event) => prepare(event.detail.elt));
  prepare(document);
})();
