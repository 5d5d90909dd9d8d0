/* Keys of every page. A page names a target with data-key on a link, button or field, and its rows with data-row;
   nothing is reachable by keyboard alone. Keys rest while one types or an input method composes. */
"use strict";
(() => {
  const PREFIX_MS = 1200;
  const ROW = "[data-row]";
  let prefix = "";
  let prefixTimer = 0;

  const typing = (element) =>
    element.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(element.tagName);
  const visible = (element) => element.getClientRects().length > 0;

  function follow(target) {
    if (typing(target)) {
      target.focus();
      target.select?.();
    } else {
      target.classList.remove("pressed");
      void target.offsetWidth; // the animation starts anew
      target.classList.add("pressed");
      target.click();
    }
  }

  function moveRow(by) {
    const rows = [...document.querySelectorAll(ROW)].filter(visible);
    if (rows.length === 0) return;
    const current = rows.findIndex((row) => row.hasAttribute("data-current"));
    const next = current < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, current + by));
    rows[current]?.removeAttribute("data-current");
    rows[next].setAttribute("data-current", "");
    const target = rows[next].matches("a, button, summary") ? rows[next] : rows[next].querySelector("a, button, summary");
    target?.focus({ preventScroll: true });
    rows[next].scrollIntoView({ block: "nearest" });
  }

  function openRow() {
    const row = document.querySelector(`${ROW}[data-current]`);
    const target = row?.matches("a, button, summary") ? row : row?.querySelector("a, button, summary");
    target?.click();
    return Boolean(target);
  }

  function act(key) {
    if (key === "?") document.getElementById("keys")?.showModal();
    else if (key === "j") moveRow(1);
    else if (key === "k") moveRow(-1);
    else if (key === "o") return openRow();
    else {
      const target = [...document.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key && visible(one));
      if (!target) return false;
      follow(target);
    }
    return true;
  }

  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.keyCode === 229 || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && typing(event.target)) return event.target.blur();
    if (typing(event.target) || document.querySelector("dialog[open]")) return;
    if (document.documentElement.dataset.keys === "off" || event.key.length !== 1) return;
    const key = prefix ? `${prefix} ${event.key}` : event.key;
    clearTimeout(prefixTimer);
    prefix = "";
    if (key === "g") {
      prefix = "g";
      prefixTimer = setTimeout(() => (prefix = ""), PREFIX_MS);
    } else if (act(key)) {
      event.preventDefault();
    }
  });

  document.addEventListener("focusin", (event) => {
    const row = event.target.closest(ROW);
    if (!row) return;
    document.querySelectorAll(`${ROW}[data-current]`).forEach((one) => one.removeAttribute("data-current"));
    row.setAttribute("data-current", "");
  });
})();
