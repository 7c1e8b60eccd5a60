// Reads the figures under the pointer out of the tables. Without it the page
// lacks nothing else.
const plot = Object.fromEntries(Object.entries(document.querySelector("main").dataset).map(([k, v]) => [k, +v]));
document.querySelectorAll(".panel").forEach(panel => {
  const table = document.getElementById(panel.dataset.run), svg = panel.querySelector("svg");
  const step = +table.dataset.step, span = +table.dataset.span;
  const head = table.tHead.rows[0].cells, rows = table.tBodies[0].rows;
  const columns = panel.dataset.columns.split(",").map(Number);
  const cursor = svg.querySelector(".cursor"), {left, width, all} = plot;
  const box = document.createElement("div");
  box.className = "readout";
  box.hidden = true;
  panel.append(box);
  const hide = () => { box.hidden = true; cursor.style.opacity = 0; };
  svg.addEventListener("pointerleave", hide);
  svg.addEventListener("pointermove", event => {
    const r = svg.getBoundingClientRect();
    const x = ((event.clientX - r.left) / r.width * all - left) / width;
    const i = Math.floor(x * span / step);
    if (x < 0 || x > 1 || i >= rows.length) return hide();
    const time = document.createElement("b");
    time.textContent = rows[i].cells[0].textContent;
    const list = document.createElement("dl");
    for (const c of columns) {
      const name = document.createElement("dt"), value = document.createElement("dd");
      name.textContent = head[c].textContent;
      value.textContent = rows[i].cells[c].textContent;
      list.append(name, value);
    }
    box.replaceChildren(time, list);
    box.hidden = false;
    const at = (event.clientX - r.left), right = at > r.width / 2;
    box.style.left = right ? "" : at + 14 + "px";
    box.style.right = right ? r.width - at + 14 + "px" : "";
    box.style.top = r.top - panel.getBoundingClientRect().top + 8 + "px";
    cursor.style.opacity = .5;
    cursor.setAttribute("transform", "translate(" + (left + width * Math.min((i + .5) * step / span, 1)) + " 0)");
  });
});
