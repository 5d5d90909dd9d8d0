/* Buttons that copy what is shown once. Without them the text can be selected as a whole by one click. */
"use strict";
(() => {
  document.querySelectorAll("[data-copy]").forEach((button) => {
    const shown = button.parentElement.querySelector("[data-copied]");
    button.hidden = false;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(shown.textContent.trim());
        button.textContent = button.dataset.done;
      } catch {
        getSelection().selectAllChildren(shown); // no clipboard without HTTPS: the text is marked to be copied by hand
      }
    });
  });
})();
