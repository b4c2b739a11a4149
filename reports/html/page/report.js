// Where failures lie, and how long cases took: from what the report says as JSON.
"use strict";
(() => {
  const { byId, element, row, table, number, time, report } = page;

  // ---- maps

  function cell(counts, names) {
    if (counts === undefined) {
      const none = element("td", "-", "hn");
      none.ariaLabel = "no case";
      return none;
    }
    if (counts.failures === 0) {
      const unsupported = counts.unsupported === counts.cases;
      return element("td", number(counts.cases) + (unsupported ? " unsupported" : ""),
        unsupported ? "hu" : "h0");
    }
    const made = element("td", "", "h" + (1 + Math.floor(4 * counts.failures / counts.cases)));
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
    byId("maps").append(element("h3", rows.title + " by " + columns.title),
      table(["", ...used(columns)], used(rows).map((value) => row(value, ...used(columns).map((other) =>
        cell(cells.find((counts) => counts[rows.name] === value && counts[columns.name] === other),
          names)))), "heat"));
  }

  // ---- times

  // heights by logarithm, so that one case is seen beside a million
  function bars(buckets) {
    const [wide, high] = [22, 120];
    const most = Math.max(...buckets.map((bucket) => Math.log2(1 + bucket.cases)));
    const svg = (name, attributes, ...children) => {
      const made = document.createElementNS("http://www.w3.org/2000/svg", name);
      Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
      made.append(...children);
      return made;
    };
    const width = wide * buckets.length;
    const chart = svg("svg", { role: "img", "aria-label": "cases by time, on a logarithmic scale",
      width: width + 40, height: high + 40 });
    buckets.forEach((bucket, i) => {
      const height = Math.floor(high * Math.log2(1 + bucket.cases) / most);
      chart.append(svg("rect", { x: wide * i, y: high - height, width: wide - 3, height },
        svg("title", {}, `${bucket.cases} below ${time(bucket.below)}`)));
      if (i % 4 === 3) {
        chart.append(svg("text", { x: wide * (i + 1), y: high + 16, "text-anchor": "middle" },
          time(bucket.below)));
      }
    });
    chart.append(svg("line", { x1: 0, x2: width, y1: high, y2: high }));
    const box = element("div", "", "wide");
    box.append(chart);
    return box;
  }

  function times() {
    const { buckets, slow, total } = report.times;
    const filled = buckets.map((bucket) => bucket.cases > 0);
    const shares = { half: "half-below", "90 %": "90%-below", "99 %": "99%-below", all: "all-below" };
    const n = (text) => element("td", text, "n");
    if (!filled.includes(true)) {
      byId("times").append(element("p", "None."));
      return;
    }
    byId("times").append(
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

  report.maps.filter((cells) => cells.length > 0).forEach(map);
  times();
})();
