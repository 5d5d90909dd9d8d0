/* Files dropped on the upload box land in its file field; the list under it says which. The field alone works too. */
"use strict";
(() => {
  document.querySelectorAll("[data-drop]").forEach((box) => {
    const field = box.querySelector("input[type=file]");
    const list = box.querySelector("ul");

    const show = () =>
      list.replaceChildren(
        ...[...field.files].map((file) => {
          const line = document.createElement("li");
          line.textContent = `${file.name} · ${Math.ceil(file.size / 1000).toLocaleString("en")} KB`;
          return line;
        }),
      );

    box.addEventListener("dragover", (event) => {
      event.preventDefault();
      box.classList.add("over");
    });
    box.addEventListener("dragleave", () => box.classList.remove("over"));
    box.addEventListener("drop", (event) => {
      event.preventDefault();
      box.classList.remove("over");
      field.files = event.dataTransfer.files;
      show();
    });
    field.addEventListener("change", show);
  });
})();
