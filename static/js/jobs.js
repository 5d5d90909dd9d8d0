/* The live part of the Jobs page: what is open and where one stands survives its renewal, and r retries the row.
   The page asks for news by htmx; without this file it shows the same. */
"use strict";
(() => {
  const LIVE = "jobs-live";
  let kept = null;

  function markRow(row) {
    document.querySelectorAll("[data-row][data-current]").forEach((one) => one.removeAttribute("data-current"));
    row?.setAttribute("data-current", "");
  }

  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.target.id !== LIVE) return;
    const chosen = document.getSelection();
    if (chosen && !chosen.isCollapsed && event.target.contains(chosen.anchorNode)) event.preventDefault(); // to be copied
  });

  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.target.id !== LIVE) return;
    if (new URL(event.detail.xhr.responseURL).pathname !== location.pathname) {
      event.preventDefault(); // the login has ended: its page is no part of this one
      location.reload();
      return;
    }
    kept = {
      open: [...event.target.querySelectorAll("details[open]")].map((one) => one.id),
      row: event.target.querySelector("[data-row][data-current]")?.id,
      scrolled: [...event.target.querySelectorAll("details[open] .trace")].map((one) => one.scrollTop),
    };
  });

  document.addEventListener("htmx:afterSwap", () => {
    if (!kept) return;
    kept.open.forEach((id) => document.getElementById(id)?.setAttribute("open", ""));
    document.querySelectorAll("details[open] .trace").forEach((one, place) => (one.scrollTop = kept.scrolled[place] ?? 0));
    if (kept.row) markRow(document.getElementById(kept.row));
    kept = null;
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "r" || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (["INPUT", "TEXTAREA", "SELECT"].includes(event.target.tagName)) return;
    if (document.documentElement.dataset.keys === "off" || document.querySelector("dialog[open]")) return;
    document.querySelector("[data-row][data-current] [data-retry]")?.click();
  });

  if (location.hash.startsWith("#job-")) markRow(document.getElementById(location.hash.slice(1)));
})();
