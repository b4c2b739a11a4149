// The changes of a comparison, found by words: of a case, a test, a verdict.
"use strict";
(() => {
  const field = document.getElementById("search");
  const found = document.getElementById("found");
  const groups = [...document.querySelectorAll("details.group")].map((group) => ({
    group,
    title: group.querySelector("summary").textContent.toLowerCase(),
    items: [...group.querySelectorAll("li")].map((item) => [item, item.textContent.toLowerCase()]),
  }));

  let unlisted = 0;
  for (const note of document.querySelectorAll("[data-unlisted]")) {
    unlisted += Number(note.dataset.unlisted);
  }

  // a group is shown if its title has all words, or, with its title, one of its cases has
  function find() {
    const words = field.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    let shown = 0;
    for (const { group, title, items } of groups) {
      const rest = words.filter((word) => !title.includes(word));
      let any = rest.length === 0;
      for (const [item, text] of items) {
        item.hidden = !rest.every((word) => text.includes(word));
        any ||= !item.hidden;
      }
      group.hidden = !any;
      shown += any;
    }
    found.textContent = `${shown} of ${groups.length + unlisted} kinds of change`;
  }

  let waiting = 0;
  document.getElementById("filter").addEventListener("submit", (event) => event.preventDefault());
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(find, 150);
  });
  document.getElementById("filter").hidden = groups.length === 0;
  find();
})();
