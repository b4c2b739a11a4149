// What the scripts of both pages share, and what can be folded: an address that leads there opens it,
// and so does printing.
"use strict";
const page = (() => {
  const byId = (id) => document.getElementById(id);

  // What a log says goes into the page as text, never as markup; characters that turn the direction of
  // writing and control characters are shown as \uNNNN, as html_text.c shows them.
  const hidden = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]/g;
  const harmless = (text) => String(text).replace(hidden,
    (character) => "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0"));

  function element(name, text, className) {
    const made = document.createElement(name);
    made.textContent = harmless(text);
    if (className !== undefined) {
      made.className = className;
    }
    return made;
  }

  // a row of a table: texts become cells, the first of them a heading
  function row(...cells) {
    const made = document.createElement("tr");
    made.append(...cells.map((cell, i) =>
      cell instanceof Node ? cell : element(i === 0 ? "th" : "td", cell)));
    if (made.firstChild.tagName === "TH") {
      made.firstChild.scope = "row";
    }
    return made;
  }

  function table(headings, rows, className) {
    const made = element("table", "", className);
    const head = document.createElement("tr");
    for (const heading of headings) {
      const cell = element("th", heading);
      cell.scope = "col";
      head.append(cell);
    }
    if (headings.length > 0) {
      made.createTHead().append(head);
    }
    made.createTBody().append(...rows);
    const box = element("div", "", "wide");
    box.append(made);
    return box;
  }

  // a number with thin spaces between thousands
  const number = (value) => String(value).length > 4
    ? String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f") : String(value);

  // "2.5 µs"
  function time(nanoseconds) {
    const units = ["ns", "µs", "ms", "s"];
    let unit = 0;
    let value = Number(nanoseconds);
    for (; unit < 3 && value >= 1000; unit++) {
      value /= 1000;
    }
    return (value < 1000 ? Number(value.toPrecision(3)) : Math.round(value)) + " " + units[unit];
  }

  function follow() {
    const target = byId(location.hash.slice(1));
    if (target !== null && target.tagName === "DETAILS") {
      target.parentElement.closest("details")?.setAttribute("open", "");
      target.open = true;
      target.scrollIntoView();
    }
  }
  addEventListener("hashchange", follow);
  addEventListener("beforeprint", () => {
    document.querySelectorAll("details.group, details.more").forEach((group) => { group.open = true; });
  });
  follow();

  return { byId, harmless, element, row, table, number, time,
    report: JSON.parse(byId("report").textContent) };
})();
