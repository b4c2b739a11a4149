// The cases of a report: found by what they are, what they came to and words, and shown a page at a
// time. Nothing is built before it is shown, so that a quarter of a million cases cost no more than
// fifty.
"use strict";
(() => {
  const shown = 50;
  // characters of a row: test 2, cause 2, clauses 2, tested clauses 2, type, rank, K, layout, axis, time, n, K
  const width = 16;
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+-";
  const { byId, element, time, report } = page;
  const list = JSON.parse(byId("case-list").textContent); // html_cases.c
  const verdicts = [...new Set(report.causes.map((cause) => cause.verdict))];
  let rows = null; // what is in the list, taken apart; made when it is first asked for
  let found = [];
  let leaf = 0;

  function load() {
    const text = list.rows;
    const count = text.length / width;
    const value = new Uint8Array(128);
    [...digits].forEach((digit, i) => { value[digit.charCodeAt(0)] = i; });
    const columns = () => new Uint16Array(count);
    rows = { count, number: new Float64Array(count), text: new Int32Array(count).fill(-1),
      test: columns(), cause: columns(), clauses: columns(), tested: columns(), time: columns(),
      size: columns(), top: columns(),
      facets: report.facets.map(columns) };
    let next = 0;
    for (let i = 0; i < count; i++) {
      const at = (offset) => value[text.charCodeAt(i * width + offset)];
      rows.test[i] = at(0) * 64 + at(1);
      rows.cause[i] = at(2) * 64 + at(3);
      rows.clauses[i] = at(4) * 64 + at(5);
      rows.tested[i] = at(6) * 64 + at(7);
      report.facets.forEach((facet, f) => { rows.facets[f][i] = at(8 + f); });
      rows.time[i] = at(13);
      rows.size[i] = at(14);
      rows.top[i] = at(15);
      if ((rows.cause[i] > 0 || list.passingTexts) && next < list.texts.length) {
        rows.text[i] = next++;
      }
    }
    let i = 0;
    for (const [first, length] of list.numbers) {
      for (let j = 0; j < length; j++) {
        rows.number[i++] = Number(first) + j;
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

  // sizes by which cases are found: name and title of the field, and how members of report.sizes begin
  const sizes = [["size", "n", "n"], ["top", "value of K", "k"]];

  // the class that begins with a size, as sizes.c numbers them; -1: any
  const sizeClass = (text) => text === "" ? -1
    : 2 * Math.floor(Math.log2(Number(text))) + (Math.log2(Number(text)) % 1 === 0 ? 0 : 1);

  // the classes of a facet that there are cases of
  const used = (facet) => facet.classes.filter((value) =>
    report.maps.some((cells) => cells.some((counts) => counts[facet.name] === value)));

  function fields() {
    const same = (list) => list.map((item) => [item, item]);
    field("verdict", "verdict",
      [["failing", "failing"], ["pass", "pass"], ...same(verdicts.filter((word) => word !== "pass"))]);
    field("clause", "broken clause", same(report.broken));
    field("tests", "tested clause", same(report.clauses.map((clause) => clause.id)));
    field("test", "test", same(list.tests).sort());
    for (const facet of report.facets) {
      field(facet.name, facet.title, same(used(facet)));
    }
    for (const [name, title, member] of sizes) {
      const ranges = new Map(report.sizes.map((one) => [one[member + "-from"], one[member + "-to"]]));
      field(name, title, [...ranges].sort((a, b) => a[0] - b[0])
        .map(([from, to]) => [String(from), plot.range(from, to)]));
    }
    field("group", "cause", report.causes.map((cause) =>
      [String(cause.number), page.harmless((cause.clause ?? "") + " " + cause.cause).slice(0, 60)]));
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
    : (list.tests[rows.test[i]] === "case" ? "" : list.tests[rows.test[i]] + ":") +
      list.texts[rows.text[i]];

  // By number of the cause, 0 for what passed: whether it is among those that are asked for.
  function wantedCauses(choice) {
    const wants = (verdict, failure, number) =>
      (choice.verdict === "" || choice.verdict === verdict ||
        (choice.verdict === "failing" && failure)) &&
      (choice.group === "" || choice.group === String(number));
    return [wants("pass", false, 0),
      ...report.causes.map((cause) => wants(cause.verdict, cause.failure, cause.number))];
  }

  function find() {
    if (rows === null) {
      load();
    }
    const choice = chosen();
    const wanted = wantedCauses(choice);
    const setsOf = (clause) => ["", ...list.clauseSets].map((set) =>
      clause === "" || set.split(" ").includes(clause));
    const broken = setsOf(choice.clause);
    const tested = setsOf(choice.tests);
    const test = choice.test === "" ? -1 : list.tests.indexOf(choice.test);
    const facets = report.facets.map((facet) =>
      choice[facet.name] === "" ? -1 : facet.classes.indexOf(choice[facet.name]));
    const [size, top] = [sizeClass(choice.size), sizeClass(choice.top)];
    const words = choice.text.split(/\s+/).filter((word) => word !== "");
    const causes = ["", ...report.causes.map((cause) => cause.cause.toLowerCase())];
    found = [];
    for (let i = 0; i < rows.count; i++) {
      if (!wanted[rows.cause[i]] || !broken[rows.clauses[i]] || !tested[rows.tested[i]] ||
          (test >= 0 && rows.test[i] !== test) || (size >= 0 && rows.size[i] !== size) ||
          (top >= 0 && rows.top[i] !== top) ||
          facets.some((value, f) => value >= 0 && rows.facets[f][i] !== value)) {
        continue;
      }
      if (words.length > 0) {
        const text = (idOf(i) ?? list.tests[rows.test[i]]).toLowerCase() + " " + causes[rows.cause[i]];
        if (!words.every((word) => text.includes(word))) {
          continue;
        }
      }
      found.push(i);
    }
    leaf = 0;
    draw();
  }

  // ---- showing

  const quoted = (text) => "'" + text.replaceAll("'", "'\\''") + "'";

  function details(i, cause) {
    const box = document.createElement("details");
    const id = idOf(i);
    const name = list.tests[rows.test[i]];
    box.append(element("summary", id === null ? name : id.length > 110 ? id.slice(0, 109) + "…" : id));
    if (cause !== null) {
      box.append(element("p", cause.cause));
      if (cause.examples !== undefined) {
        const link = element("a", "what is known of this cause");
        link.href = "#cause-" + rows.cause[i];
        box.append(link);
      }
    }
    if (id === null) {
      box.append(element("p", "The text is in the log only: the record of this number.", "note"));
    } else {
      box.append(page.command(report.run.replay + " " + quoted(id)));
    }
    return box;
  }

  function line(i) {
    const row = document.createElement("tr");
    const labelled = (label, text, className) => {
      const made = element("td", text, className);
      made.dataset.label = label;
      return made;
    };
    const cause = rows.cause[i] === 0 ? null : report.causes[rows.cause[i] - 1];
    const name = element("td", "", "text");
    const verdict = element("td", "");
    name.append(details(i, cause));
    verdict.append(element("span", cause === null ? "pass" : cause.verdict,
      "badge " + (cause === null ? "good" : cause.failure ? "bad" : "plain")));
    row.append(labelled("number", String(rows.number[i]), "n"), name, verdict,
      element("td", ["", ...list.clauseSets][rows.clauses[i]]),
      ...report.facets.map((facet, f) => labelled(facet.title, facet.classes[rows.facets[f][i]])),
      labelled("time below", time(report.times.buckets[rows.time[i]].below), "n"));
    return row;
  }

  function draw() {
    const from = leaf * shown;
    const to = Math.min(found.length, from + shown);
    byId("list").tBodies[0].replaceChildren(...found.slice(from, to).map(line));
    byId("list").hidden = found.length === 0;
    byId("pages").hidden = found.length <= shown;
    byId("page").textContent = `${from + 1} to ${to}`;
    byId("back").disabled = leaf === 0;
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
  byId("back").addEventListener("click", () => { leaf--; draw(); });
  byId("on").addEventListener("click", () => { leaf++; draw(); });
  addEventListener("hashchange", follow);
  byId("by-verdict").value = report.causes.some((cause) => cause.failure) ? "failing" : "";
  requestAnimationFrame(() => setTimeout(() => {
    find();
    follow();
  }));
})();
