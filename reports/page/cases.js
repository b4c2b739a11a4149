// The cases of a report: found by what they are, what they came to and words, and shown a page at a
// time. Nothing is built before it is shown, so that a quarter of a million cases cost no more than
// fifty. What a log says goes into the page as text, never as markup.
"use strict";
(() => {
  const shown = 50;
  const width = 12; // characters of a row: test 2, group 2, clauses 2, type, rank, K, layout, axis, time
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+-";
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const verdicts = [...new Set(data.groups.map((group) => group.verdict))];
  let rows = null; // what is in the page, taken apart; made when it is first asked for
  let found = [];
  let page = 0;

  function load() {
    const text = byId("rows").textContent.trim();
    const count = text.length / width;
    const value = new Uint8Array(128);
    [...digits].forEach((digit, i) => { value[digit.charCodeAt(0)] = i; });
    const columns = () => new Uint16Array(count);
    rows = { count, number: new Float64Array(count), text: new Int32Array(count).fill(-1),
      test: columns(), group: columns(), clauses: columns(), time: columns(),
      facets: data.facets.map(columns), texts: JSON.parse(byId("texts").textContent) };
    let next = 0;
    for (let i = 0; i < count; i++) {
      const at = (offset) => value[text.charCodeAt(i * width + offset)];
      rows.test[i] = at(0) * 64 + at(1);
      rows.group[i] = at(2) * 64 + at(3);
      rows.clauses[i] = at(4) * 64 + at(5);
      data.facets.forEach((facet, f) => { rows.facets[f][i] = at(6 + f); });
      rows.time[i] = at(11);
      if ((rows.group[i] > 0 || data.passingTexts) && next < rows.texts.length) {
        rows.text[i] = next++;
      }
    }
    let i = 0;
    for (const [first, length] of data.numbers) {
      for (let j = 0; j < length; j++) {
        rows.number[i++] = first + j;
      }
    }
  }

  // ---- the form

  function field(name, title, choices) {
    const label = document.createElement("label");
    const select = document.createElement("select");
    label.textContent = title;
    label.htmlFor = select.id = "by-" + name;
    select.name = name;
    select.append(new Option("any", ""));
    for (const choice of choices) {
      select.append(new Option(choice[1], choice[0]));
    }
    const box = document.createElement("div");
    box.append(label, select);
    byId("fields").append(box);
  }

  function fields() {
    const same = (list) => list.map((item) => [item, item]);
    const clauses = [...new Set(data.clauseSets.join(" ").split(" "))].filter((id) => id !== "");
    field("verdict", "verdict",
      [["failing", "failing"], ["pass", "pass"], ...same(verdicts.filter((word) => word !== "pass"))]);
    field("clause", "broken clause", same(clauses.sort()));
    field("test", "test", same(data.tests).sort());
    for (const facet of data.facets) {
      field(facet.name, facet.title, same(facet.classes));
    }
    field("group", "cause", data.groups.map((group, i) =>
      [String(i + 1), (group.clause + " " + group.cause).slice(0, 60)]));
    byId("filter").hidden = false;
  }

  function chosen() {
    const choice = {};
    for (const select of byId("fields").querySelectorAll("select")) {
      choice[select.name] = select.value;
    }
    choice.text = byId("search").value.trim().toLowerCase();
    return choice;
  }

  // ---- finding

  const idOf = (i) => rows.text[i] < 0 ? null
    : (data.tests[rows.test[i]] === "case" ? "" : data.tests[rows.test[i]] + ":") +
      rows.texts[rows.text[i]];

  // By index of the verdict's group: whether it is among those that are asked for.
  function wantedGroups(choice) {
    const wants = (verdict, failure, number) =>
      (choice.verdict === "" || choice.verdict === verdict ||
        (choice.verdict === "failing" && failure)) &&
      (choice.group === "" || choice.group === String(number));
    return [wants("pass", false, 0),
      ...data.groups.map((group, i) => wants(group.verdict, group.failure, i + 1))];
  }

  function find() {
    if (rows === null) {
      load();
    }
    const choice = chosen();
    const groups = wantedGroups(choice);
    const sets = ["", ...data.clauseSets].map((set) =>
      choice.clause === "" || set.split(" ").includes(choice.clause));
    const test = choice.test === "" ? -1 : data.tests.indexOf(choice.test);
    const facets = data.facets.map((facet) =>
      choice[facet.name] === "" ? -1 : facet.classes.indexOf(choice[facet.name]));
    const words = choice.text.split(/\s+/).filter((word) => word !== "");
    const causes = ["", ...data.groups.map((group) => group.cause.toLowerCase())];
    found = [];
    for (let i = 0; i < rows.count; i++) {
      if (!groups[rows.group[i]] || !sets[rows.clauses[i]] || (test >= 0 && rows.test[i] !== test) ||
          facets.some((wanted, f) => wanted >= 0 && rows.facets[f][i] !== wanted)) {
        continue;
      }
      if (words.length > 0) {
        const text = (idOf(i) ?? data.tests[rows.test[i]]).toLowerCase() + " " + causes[rows.group[i]];
        if (!words.every((word) => text.includes(word))) {
          continue;
        }
      }
      found.push(i);
    }
    page = 0;
    draw();
  }

  // ---- showing

  const quoted = (text) => "'" + text.replaceAll("'", "'\\''") + "'";

  function element(name, text, className) {
    const made = document.createElement(name);
    made.textContent = text;
    if (className !== undefined) {
      made.className = className;
    }
    return made;
  }

  function details(i, group) {
    const box = document.createElement("details");
    const id = idOf(i);
    const name = data.tests[rows.test[i]];
    box.append(element("summary", id === null ? name : id.length > 110 ? id.slice(0, 109) + "…" : id));
    if (group !== null) {
      box.append(element("p", group.cause));
      if (group.shown) {
        const link = element("a", "what is known of this cause");
        link.href = "#cause-" + rows.group[i];
        box.append(link);
      }
    }
    if (id === null) {
      box.append(element("p", "The text is in the log only: the record of this number.", "note"));
    } else {
      box.append(element("pre", data.replay + " " + quoted(id)));
    }
    return box;
  }

  function line(i) {
    const row = document.createElement("tr");
    const group = rows.group[i] === 0 ? null : data.groups[rows.group[i] - 1];
    const name = element("td", "");
    const verdict = element("td", "");
    name.append(details(i, group));
    verdict.append(element("span", group === null ? "pass" : group.verdict,
      "badge " + (group === null ? "good" : group.failure ? "bad" : "plain")));
    row.append(element("td", String(rows.number[i]), "n"), name, verdict,
      element("td", ["", ...data.clauseSets][rows.clauses[i]]),
      ...data.facets.map((facet, f) => element("td", facet.classes[rows.facets[f][i]])),
      element("td", data.times[rows.time[i]], "n"));
    return row;
  }

  function draw() {
    const from = page * shown;
    const to = Math.min(found.length, from + shown);
    byId("list").tBodies[0].replaceChildren(...found.slice(from, to).map(line));
    byId("list").hidden = found.length === 0;
    byId("pages").hidden = found.length <= shown;
    byId("page").textContent = `${from + 1} to ${to}`;
    byId("back").disabled = page === 0;
    byId("on").disabled = to === found.length;
    byId("found").textContent = `${found.length} of ${rows.count} cases`;
  }

  // ---- addresses: #cases?type=f32&rank=4

  function follow() {
    const [place, query] = location.hash.split("?", 2);
    if (place === "#cases" && query !== undefined) {
      const wanted = new URLSearchParams(query);
      byId("search").value = wanted.get("text") ?? "";
      for (const select of byId("fields").querySelectorAll("select")) {
        select.value = wanted.get(select.name) ?? "";
      }
      find();
      byId("cases").scrollIntoView();
      byId("found").tabIndex = -1;
      byId("found").focus({ preventScroll: true });
    }
  }

  fields();
  let waiting = 0;
  byId("filter").addEventListener("submit", (event) => event.preventDefault());
  byId("filter").addEventListener("reset", () => setTimeout(find));
  byId("fields").addEventListener("change", find);
  byId("search").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(find, 150);
  });
  byId("back").addEventListener("click", () => { page--; draw(); });
  byId("on").addEventListener("click", () => { page++; draw(); });
  addEventListener("hashchange", follow);
  byId("by-verdict").value = data.groups.some((group) => group.failure) ? "failing" : "";
  requestAnimationFrame(() => setTimeout(() => {
    find();
    follow();
  }));
})();
