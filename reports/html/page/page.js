// What the scripts of the pages share; the buttons that copy commands; and what can be folded: an address
// that leads there opens it, and a button opens all of it. A page prints as it is shown.
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

  // ---- commands, each with a button that copies it

  const said = element("p", "", "said");
  said.setAttribute("role", "status");
  document.body.append(said);

  // What is copied is what is shown. Where a page may not use the clipboard, the command is selected.
  async function copy(pre, button) {
    let words = "Copied";
    try {
      await navigator.clipboard.writeText(pre.textContent);
    } catch {
      getSelection().selectAllChildren(pre);
      words = document.execCommand("copy") ? "Copied" : "Selected: copy it by keyboard";
    }
    button.textContent = words;
    said.textContent = words;
    setTimeout(() => {
      button.textContent = "Copy";
      said.textContent = "";
    }, 2000);
  }

  function withButton(pre) {
    const box = element("div", "", "command");
    const button = element("button", "Copy", "copy");
    button.type = "button";
    button.ariaLabel = "Copy the command";
    button.addEventListener("click", () => copy(pre, button));
    pre.replaceWith(box);
    box.append(button, pre);
    return box;
  }
  document.querySelectorAll("pre").forEach(withButton);

  // a command that is added later
  function command(text) {
    const pre = element("pre", text);
    document.createElement("div").append(pre);
    return withButton(pre);
  }

  // ---- what can be folded

  const fold = element("button", "Unfold all", "fold");
  fold.type = "button";
  fold.addEventListener("click", () => {
    const open = fold.textContent === "Unfold all";
    document.querySelectorAll("details.group, details.more").forEach((one) => { one.open = open; });
    fold.textContent = open ? "Fold all" : "Unfold all";
  });
  document.querySelector("nav").append(fold);

  function follow() {
    const target = byId(location.hash.slice(1));
    if (target !== null && target.tagName === "DETAILS") {
      target.parentElement.closest("details")?.setAttribute("open", "");
      target.open = true;
      target.scrollIntoView();
    }
  }
  addEventListener("hashchange", follow);
  follow();

  return { byId, harmless, element, row, table, number, time, command,
    report: JSON.parse(byId("report").textContent) };
})();
