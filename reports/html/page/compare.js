// The times of a comparison, and its changes, found by words: of a case, a test, a verdict.
"use strict";
(() => {
  const { byId, element, row, table, number, time, report } = page;

  // ---- times

  function times(comparison) {
    const ratio = (value) => value.toFixed(2);
    const line = (name, one) => row(name, ...[number(one.cases), time(one.before), time(one.after),
      ratio(one.median)].map((text) => element("td", text, "n")));
    const all = comparison.time;
    const folded = element("details", "", "more");
    folded.append(element("summary",
      `A case takes ${ratio(all.median)} times as long in ${comparison.run} (median); by test`),
    table(["test", "cases", "time in A", "time in " + comparison.run, "median of ratios"],
      [line("all", all), ...all.tests.map((one) => line(one.test, one))]));
    byId("run-" + comparison.run).append(element("h3", "Time"),
      element("p", "What the cases took that passed in both. It is no part of the verdict: times vary " +
        "from run to run."), folded);
  }

  report.comparisons.filter((comparison) => comparison.time !== undefined).forEach(times);

  // ---- the trend of more than two runs

  function trend(part) {
    const { runs, common } = report.trend;
    const letters = runs.map((one) => one.run);
    const says = (one, i, words) => `${one.run}, ${report.runs[i].started}: ${words}`;
    const draw = (title, value, words, scale) => part.append(element("h3", title),
      plot.lines(title + "; the table below says the same", part, letters,
        [{ name: title, points: runs.map((one, i) => [i, value(one), says(one, i, words(one))]) }], scale));
    draw("Cases that failed", (one) => one.failed, (one) => `${number(one.failed)} failed`, plot.countScale);
    draw("Share of the valid calls that was served, in percent", (one) => one.share.percent,
      (one) => `${one.share.percent} %, ${number(one.share.served)} of ${number(one.share.asked)}`, plot.countScale);
    if (common > 0) {
      draw("Time of the cases that passed with a result in every run", (one) => one.nanoseconds,
        (one) => time(one.nanoseconds), plot.linearTimeScale);
    }
    document.querySelectorAll("#trend td.time").forEach((cell, i) => {
      cell.textContent = common > 0 ? time(runs[i].nanoseconds) : "none in common";
    });
  }

  if (byId("trend") !== null) {
    trend(byId("trend-plots"));
  }

  // ---- changes

  const field = byId("search");
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
    byId("found").textContent = `${shown} of ${groups.length + unlisted} kinds of change`;
  }

  let waiting = 0;
  byId("filter").addEventListener("submit", (event) => event.preventDefault());
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(find, 150);
  });
  byId("filter").hidden = groups.length === 0;
  find();
})();
