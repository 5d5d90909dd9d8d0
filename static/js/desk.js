/* The desk: how long it was on the screen, evidence that was opened, Ctrl+Enter for the part one is in.
   Without it the forms work as they stand. */
"use strict";
(() => {
  let shownAt = performance.now();

  const desk = () => document.querySelector("[data-desk]");
  const form = () => document.querySelector("[data-decision]");

  function arrived() {
    shownAt = performance.now();
    desk()?.querySelector("[data-heading]")?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
    const reference = desk()?.dataset.desk;
    const crumb = document.querySelector(".crumbs [aria-current=page]");
    if (!reference || !crumb || crumb.textContent === reference) return;
    document.title = document.title.replace(crumb.textContent, reference);
    crumb.textContent = reference;
  }

  // Evidence counts as opened when a quote was on the screen for a moment, not when it was merely loaded.
  function opened() {
    const box = form()?.querySelector("[data-opened]");
    if (box) box.checked = true;
  }

  document.addEventListener("toggle", (event) => {
    if (event.target.matches?.("[data-quote]") && event.target.open && performance.now() - shownAt > 300) opened();
  }, true);

  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.repeat || !form()) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      if (form().classList.contains("htmx-request")) return;
      const part = document.activeElement?.closest("fieldset");
      const button = part?.querySelector("[data-confirms]");
      if (!button) return;
      event.preventDefault();
      button.click(); // htmx sends the button that was clicked
    } else if (event.key === "e" && !event.ctrlKey && !event.metaKey && !event.altKey) {
      if (["INPUT", "TEXTAREA", "SELECT"].includes(document.activeElement?.tagName)) return;
      if (document.documentElement.dataset.keys === "off") return;
      event.preventDefault();
      event.stopImmediatePropagation();
      next(document.querySelectorAll("[data-quote]"));
    }
  }, true);

  function next(quotes) {
    if (quotes.length === 0) return document.getElementById("evidence-title")?.focus();
    const current = [...quotes].findIndex((quote) => quote.contains(document.activeElement));
    const quote = quotes[(current + 1) % quotes.length];
    quote.open = true;
    quote.querySelector("summary").focus();
    opened();
  }

  document.addEventListener("submit", (event) => {
    if (event.target !== form()) return;
    event.target.elements.ms_on_screen.value = Math.round(performance.now() - shownAt);
  }, true);

  // A refusal (409, 422) is the desk again with what was typed: it is swapped in like any answer.
  document.addEventListener("htmx:beforeSwap", (event) => {
    if ([409, 422].includes(event.detail.xhr.status) && event.detail.xhr.responseText.includes("data-desk")) {
      event.detail.shouldSwap = true;
      event.detail.isError = false;
    }
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target?.id === "desk" || event.target?.id === "desk") arrived();
  });
  arrived();
})();
