/* The ledger: rows close without a request, and filters apply as they change. Without this file both are plain links and a form. */
"use strict";
(() => {
  document.querySelectorAll("[data-apply]").forEach((button) => button.classList.add("unseen"));

  document.addEventListener("click", (event) => {
    const closer = event.target.closest("[data-closes]");
    const opener = event.target.closest("[data-opens-row]");
    if (closer) {
      event.preventDefault();
      close(document.getElementById(closer.dataset.closes));
    } else if (opener) {
      const opened = document.getElementById(opener.dataset.opensRow);
      if (opened && !opened.hidden) {
        event.preventDefault();
        event.stopPropagation();
        close(opened);
      }
    }
  }, true);

  function close(opened) {
    if (!opened) return;
    opened.hidden = true;
    opened.className = "";
    opened.firstElementChild?.replaceChildren();
    opened.previousElementSibling?.querySelector("[data-opens-row]")?.focus();
  }
})();
