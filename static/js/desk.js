/* The desk: how long it was on the screen, evidence that was opened, Ctrl+Enter for the part one is in.
   Without it the forms work as they stand. */
"use strict";
(() => {
  let shownAt = performance.now();
  let isPainted = false; // what is not on the screen yet is not decided on
  let isAsking = false;

  const desk = () => document.querySelector("[data-desk]");
  const form = () => document.querySelector("[data-decision]");

  function arrived() {
    shownAt = performance.now();
    isPainted = isAsking = false;
    requestAnimationFrame(() => requestAnimationFrame(() => (isPainted = true)));
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
    if (event.target.matches?.(".change") && event.target.open) event.target.querySelector("textarea, select")?.focus();
    if (event.target.matches?.("[data-quote]") && event.target.open && performance.now() - shownAt > 300) opened();
  }, true);

  document.addEventListener("keydown", (event) => {
    if (event.isComposing || !form()) return;
    const isConfirming = event.key === "Enter" && (event.ctrlKey || event.metaKey);
    const isLetter = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping();
    if ((isConfirming || isLetter) && (isAsking || !isPainted || event.repeat)) {
      event.preventDefault();
      event.stopImmediatePropagation();
    } else if (isConfirming) {
      const part = document.activeElement?.closest("fieldset");
      const button = part?.querySelector("[data-confirms]");
      if (!button) return;
      event.preventDefault();
      button.click(); // htmx sends the button that was clicked
    } else if (isLetter && event.key.toLowerCase() === "e") {
      if (document.documentElement.dataset.keys === "off") return;
      event.preventDefault();
      event.stopImmediatePropagation();
      const quotes = document.querySelectorAll("[data-quote]");
      if (event.key === "E") all(quotes);
      else next(quotes);
    }
  }, true);

  const isTyping = () => ["INPUT", "TEXTAREA", "SELECT"].includes(document.activeElement?.tagName);

  function all(quotes) {
    quotes.forEach((quote) => (quote.open = true));
    if (quotes.length) opened();
    document.getElementById("evidence-title")?.focus();
  }

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
  const asks = (is) => (event) => {
    if (event.detail.elt === form() || event.target === form()) isAsking = is;
  };
  document.addEventListener("htmx:beforeRequest", asks(true));
  document.addEventListener("htmx:afterRequest", asks(false));
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target?.id === "desk" || event.target?.id === "desk") arrived();
  });
  arrived();
})();
