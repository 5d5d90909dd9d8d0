/* Sliders bound to numbers that always sum to 100: what one bucket takes a donor gives. Without this file the numbers do alone. */
"use strict";
(() => {
  const form = document.getElementById("policy-form");
  const rows = [...form.querySelectorAll("[data-bucket]")].map((row) => ({
    name: row.dataset.bucket,
    floor: Number(row.dataset.floor),
    slider: row.querySelector("[data-slider]"),
    number: row.querySelector("[data-percent]"),
    lock: row.querySelector("[data-lock]"),
    value: Number(row.querySelector("[data-percent]").value) || 0,
  }));
  const donor = form.querySelector("[data-donor]");
  form.querySelectorAll("[data-slider], .lock, .donor").forEach((part) => { part.hidden = false; });

  for (const row of rows) {
    row.slider.addEventListener("input", () => {
      move(row, Number(row.slider.value));
      form.dispatchEvent(new Event("policy-moved"));
    });
    row.number.addEventListener("change", () => move(row, Math.round(Number(row.number.value)) || 0));
    row.lock.addEventListener("change", () => {
      row.slider.disabled = row.number.readOnly = row.lock.checked;
    });
  }

  /* The others in the order in which they give: the donor first, then from the largest. Locked ones never. */
  function givers(row) {
    const free = rows.filter((one) => one !== row && !one.lock.checked);
    return free.sort((a, b) => (b.name === donor.value) - (a.name === donor.value) || b.value - a.value);
  }

  function move(row, wanted) {
    const others = givers(row);
    const total = rows.reduce((sum, one) => sum + one.value, 0);
    let owed = Math.max(wanted, row.floor) - row.value + total - 100; // a form that came unbalanced is balanced by the first move
    const before = owed;
    for (const other of others) {
      const given = owed > 0 ? Math.min(owed, Math.max(other.value - other.floor, 0)) : Math.max(owed, other.value - 100);
      other.value -= given;
      owed -= given;
      if (owed === 0) break;
    }
    row.value += before - owed - (total - 100);
    draw();
  }

  function draw() {
    let start = 0;
    for (const row of rows) {
      row.slider.value = row.number.value = row.value;
      const slice = document.querySelector(`[data-slice="${row.name}"]`);
      const [rect, letter] = slice.children;
      rect.setAttribute("x", `${start}%`);
      rect.setAttribute("width", `${row.value}%`);
      letter.setAttribute("x", `${start + row.value / 2}%`);
      letter.setAttribute("visibility", row.value < 3 ? "hidden" : "visible");
      start += row.value;
    }
    form.querySelector("[data-total]").textContent = start;
    const shown = rows.map((row) => `${row.slider.getAttribute("aria-label")} ${row.value} %`).join(", ");
    const picture = document.querySelector("[data-window]");
    picture.setAttribute("aria-label", `${picture.getAttribute("aria-label").split(":")[0]}: ${shown}`);
  }
})();
