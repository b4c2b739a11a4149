// Where failures lie, and how long cases took: from what the report says as JSON.
"use strict";
(() => {
  const { byId, element, row, table, number, time, report } = page;
  const n = (text) => element("td", text, "n");

  // ---- maps

  // how dark a cell is, by its share of failures
  const shade = (counts) => counts.failures > 0 ? "h" + (1 + Math.floor(4 * counts.failures / counts.cases))
    : counts.unsupported === counts.cases ? "hu" : "h0";

  function cell(counts, names) {
    if (counts === undefined) {
      const none = element("td", "-", "hn");
      none.ariaLabel = "no case";
      return none;
    }
    if (counts.failures === 0) {
      return element("td", number(counts.cases) +
        (counts.unsupported === counts.cases ? " unsupported" : ""), shade(counts));
    }
    const made = element("td", "", shade(counts));
    const link = element("a", number(counts.failures) + " / " + number(counts.cases));
    const query = new URLSearchParams({ verdict: "failing" });
    names.forEach((name) => query.set(name, counts[name]));
    link.href = "#cases?" + query;
    link.ariaLabel = `${counts.failures} of ${counts.cases} failed`;
    made.append(link);
    return made;
  }

  // The names of the two facets are the first members of each cell.
  function map(cells) {
    const names = Object.keys(cells[0]).slice(0, 2);
    const [rows, columns] = names.map((name) => report.facets.find((facet) => facet.name === name));
    const used = (facet) =>
      facet.classes.filter((value) => cells.some((counts) => counts[facet.name] === value));
    byId("map-list").append(element("h3", rows.title + " by " + columns.title),
      table(["", ...used(columns)], used(rows).map((value) => row(value, ...used(columns).map((other) =>
        cell(cells.find((counts) => counts[rows.name] === value && counts[columns.name] === other),
          names)))), "heat"));
  }

  // ---- n and K

  // The ranges of a size that there are, each with its place.
  function ranges(list, name) {
    const firsts = [...new Set(list.map((one) => one[name + "-from"]))].sort((a, b) => a - b);
    return new Map(firsts.map((from, place) => {
      const to = list.find((one) => one[name + "-from"] === from)[name + "-to"];
      return [from, { place, words: plot.range(from, to), power: from === to && from !== 3 }];
    }));
  }

  // powers of two are named, what lies between them is not
  const marks = (found) => [...found].map(([from, { power }]) => power ? number(from) : "");

  function sizes() {
    const [lengths, ks] = [ranges(report.sizes, "n"), ranges(report.sizes, "k")];
    const failing = report.sizes.some((one) => one.failures > 0);
    const words = (one) => `n ${lengths.get(one["n-from"]).words}, K ${ks.get(one["k-from"]).words}`;
    const address = (one) => `#cases?verdict=failing&size=${one["n-from"]}&top=${one["k-from"]}`;
    const title = (one) => words(one) + ": " + (one.failures > 0
      ? `${number(one.failures)} of ${number(one.cases)} failed`
      : number(one.cases) + (one.unsupported === one.cases ? " unsupported" : " cases, none failed"));
    byId("size-plot").append(
      element("h3", "n, the length of the axis, and K"),
      plot.grid("Failures over n and K; the table below says the same", byId("maps"), marks(lengths), marks(ks),
        report.sizes.map((one) => ({ x: lengths.get(one["n-from"]).place, y: ks.get(one["k-from"]).place,
          className: shade(one), title: title(one),
          href: one.failures === 0 ? undefined : address(one) })),
        ["n", "K"]),
      element("p", "The redder, the more of the cases failed" +
        "; green: none did; grey: all are unsupported. Between two powers of two there is one field.", "note"),
      plot.folded(failing ? "Failures over n and K as a table" : "Cases over n and K as a table",
        ["n", "K", "cases", "failed", "unsupported"],
        () => report.sizes.filter((one) => one.failures > 0 || !failing).map((one) => {
          const failures = n(one.failures === 0 ? "0" : "");
          if (one.failures > 0) {
            const link = element("a", number(one.failures));
            link.href = address(one);
            failures.append(link);
          }
          return row(lengths.get(one["n-from"]).words, n(ks.get(one["k-from"]).words), n(number(one.cases)),
            failures, n(number(one.unsupported)));
        })));
  }

  function timesByLength() {
    const list = report["times-by-n"];
    const lengths = ranges(list, "n");
    const point = (one, value, name) => [lengths.get(one["n-from"]).place, value,
      `n ${lengths.get(one["n-from"]).words}: ${time(value)}${name}`];
    const both = list.filter((one) => one.both !== undefined);
    const against = report.against;
    const series = against === undefined || both.length === 0
      ? [{ name: "this run", points: list.map((one) => point(one, one.median, "")) }]
      : [{ name: "this run", points: both.map((one) => point(one, one.both.after, ", this run")) },
        { name: "earlier run", points: both.map((one) => point(one, one.both.before, ", earlier run")) }];
    byId("times").append(element("h3", "Time over n"),
      element("p", series.length === 1 ? "The median of the cases that passed with a result, by the length of the axis."
        : "The median of the cases that passed with a result in both runs, by the length of the axis. The earlier run: " +
          [against.backend, against.version, "on", against.device + (against.driver && ", driver " + against.driver) +
            ", started " + against.started + (against.complete ? "" : ", incomplete")].join(" ") +
          ". Times vary from run to run."));
    if (against !== undefined && both.length === 0) {
      byId("times").append(element("p", "No case passed both in this run and in the earlier one.", "note"));
    }
    byId("times").append(
      plot.lines("Median time over n; the table below says the same", byId("times"), marks(lengths), series,
        plot.timeScale),
      series.length === 1
        ? plot.folded("Time over n as a table", ["n", "cases", "median"], () => list.map((one) =>
          row(lengths.get(one["n-from"]).words, n(number(one.cases)), n(time(one.median)))))
        : plot.folded("Time over n as a table",
          ["n", "cases of both", "median in the earlier run", "in this run", "median of ratios"],
          () => both.map((one) => row(lengths.get(one["n-from"]).words, n(number(one.both.cases)),
            n(time(one.both.before)), n(time(one.both.after)), n(one.both.median.toFixed(2))))));
  }

  // ---- times

  // heights by logarithm, so that one case is seen beside a million
  function bars(buckets) {
    const [wide, high] = [22, 120];
    const most = Math.max(...buckets.map((bucket) => Math.log2(1 + bucket.cases)));
    const width = wide * buckets.length;
    return plot.drawing("cases by time, on a logarithmic scale", width + 40, high + 40,
      ...buckets.flatMap((bucket, i) => {
        const height = Math.floor(high * Math.log2(1 + bucket.cases) / most);
        return [plot.svg("rect", { x: wide * i, y: high - height, width: wide - 3, height },
          plot.svg("title", {}, `${bucket.cases} below ${time(bucket.below)}`)),
        ...(i % 4 === 3 ? [plot.text(wide * (i + 1), high + 16, "middle", time(bucket.below))] : [])];
      }),
      plot.svg("line", { x1: 0, x2: width, y1: high, y2: high }));
  }

  function times() {
    const { buckets, slow, total } = report.times;
    const filled = buckets.map((bucket) => bucket.cases > 0);
    const shares = { half: "half-below", "90 %": "90%-below", "99 %": "99%-below", all: "all-below" };
    if (!filled.includes(true)) {
      byId("times").append(element("p", "None."));
      return;
    }
    if (report["times-by-n"].length > 0) {
      timesByLength();
    }
    byId("times").append(
      element("h3", "Cases by time"),
      element("p", "What the backend needed for a case, as the worker saw it; in all " + time(total) +
        ". Heights are logarithmic."),
      bars(buckets.slice(filled.indexOf(true), filled.lastIndexOf(true) + 1)),
      element("h3", "Times that so many cases stayed below"),
      table([], Object.entries(shares).map(([name, key]) => row(name, n(time(report.times[key]))))),
      element("h3", "The slowest"),
      table(["time", "number", "case"], slow.map((one) => {
        const name = element("td", "");
        name.append(element("code", one.id.length > 300 ? one.id.slice(0, 300) + "…" : one.id));
        return row(n(time(one.nanoseconds)), n(one.number), name);
      })));
  }

  if (report.sizes.length > 0) {
    sizes();
  }
  report.maps.filter((cells) => cells.length > 0).forEach(map);
  times();
})();
