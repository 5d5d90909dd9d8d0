/* Small help for the frame: theme without a reload, menus that close, failed requests that are said aloud.
   Everything here also works by plain forms and links. */
"use strict";
(() => {
  const root = document.documentElement;
  const NEXT = { dark: "light", light: "auto", auto: "dark" };

  document.querySelectorAll("[data-theme-switch]").forEach((form) =>
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const button = form.querySelector("button");
      const theme = button.value;
      if (theme === "auto") delete root.dataset.theme;
      else root.dataset.theme = theme;
      button.value = NEXT[theme];
      const fields = new FormData(form);
      fields.set("theme", theme);
      fetch(form.action, { method: "POST", body: fields, redirect: "manual" });
    }),
  );

  document.querySelectorAll("[data-opens]").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", () => document.getElementById(button.dataset.opens).showModal());
  });

  document.querySelectorAll("[data-submits-itself]").forEach((form) => {
    form.addEventListener("change", () => form.requestSubmit());
    form.addEventListener("formdata", ({ formData }) =>
      [...formData].forEach(([name, value]) => value === "" && formData.delete(name)),
    );
  });

  const closeMenus = (except) =>
    document.querySelectorAll("details.menu[open]").forEach((menu) => {
      if (menu !== except) menu.open = false;
    });
  document.addEventListener("click", (event) => closeMenus(event.target.closest("details.menu")));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") closeMenus(null);
  });

  const announce = (text) => {
    document.getElementById("announcement").textContent = text;
  };
  document.addEventListener("htmx:responseError", (event) =>
    announce(document.body.dataset.failed.replace("{status}", event.detail.xhr.status)),
  );
  document.addEventListener("htmx:sendError", () => announce(document.body.dataset.unreachable));
  document.addEventListener("htmx:afterOnLoad", () => announce(""));
})();
