// Plots, drawn as SVG: sizes against sizes, lines over sizes or runs, bars. Each has a table beside it
// that says the same.
"use strict";
const plot = (() => {
  const { element, number, table } = page;

  function svg(name, attributes, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
    made.append(...children);
    return made;
  }

  const text = (x, y, anchor, words) => svg("text", { x, y, "text-anchor": anchor }, page.harmless(words));

  function drawing(label, width, height, ...children) {
    const box = element("div", "", "wide");
    box.append(svg("svg", { role: "img", "aria-label": label, width, height,
      viewBox: `0 0 ${width} ${height}` }, ...children));
    return box;
  }

  // "8", "9-15"
  const range = (from, to) => number(from) + (from === to ? "" : "-" + number(to));

  // a table that is folded; made when it is first unfolded
  function folded(summary, headings, rows) {
    const box = element("details", "", "more");
    box.append(element("summary", summary));
    box.addEventListener("toggle", () => {
      if (box.open && box.children.length === 1) {
        box.append(table(headings, rows()));
      }
    });
    return box;
  }

  // how wide a plot may be in a part of the page
  const room = (part) => Math.max(300, Math.min(900, part.clientWidth || 900));

  // ---- a grid of cells over two scales: cells[i] = { x, y, className, title, href }

  function grid(label, part, columns, rows, cells, titles) {
    const [left, below] = [62, 44];
    const side = Math.max(9, Math.min(20, Math.floor((room(part) - left) / columns.length)));
    const [width, height] = [side * columns.length, side * rows.length];
    const marks = cells.map((cell) => {
      const mark = svg("rect", { x: left + side * cell.x, y: height - side * (cell.y + 1),
        width: side - 1, height: side - 1, class: cell.className }, svg("title", {}, cell.title));
      return cell.href === undefined ? mark
        : svg("a", { href: cell.href, "aria-label": cell.title, tabindex: -1 }, mark);
    });
    const named = (names) => names.map((name, i) => [name, i]).filter(([name]) => name !== "");
    // as many names as there is room for
    const every = Math.ceil(named(columns).length * 44 / width);
    return drawing(label, left + width + 20, height + below,
      ...marks,
      ...named(columns).filter((name, i) => i % every === 0)
        .map(([name, i]) => text(left + side * (i + 0.5), height + 14, "middle", name)),
      ...named(rows).filter((name, i) => i % Math.ceil(14 / side) === 0)
        .map(([name, i]) => text(left - 4, height - side * i - side / 2 + 4, "end", name)),
      text(left + width / 2, height + 34, "middle", titles[0]),
      text(2, 10, "start", titles[1]));
  }

  // ---- lines over one scale: series[i] = { name, points: [[x, value, title], ...] }; columns name the xs

  function lines(label, part, columns, series, scale) {
    const [left, above, below, high] = [64, 24, 26, 200];
    const width = room(part) - left - 20;
    const at = (x) => left + (columns.length === 1 ? width / 2 : width * x / (columns.length - 1));
    const values = series.flatMap((one) => one.points.map((point) => point[1]));
    const { low, top, place, marks } = scale(Math.min(...values), Math.max(...values));
    const y = (value) => above + high - high * (place(value) - low) / (top - low);
    const drawn = series.flatMap((one, s) => [
      svg("polyline", { class: "line s" + s,
        points: one.points.map(([x, value]) => at(x).toFixed(1) + "," + y(value).toFixed(1)).join(" ") }),
      ...one.points.map(([x, value, title]) => svg("circle",
        { class: "s" + s, cx: at(x).toFixed(1), cy: y(value).toFixed(1), r: 3 }, svg("title", {}, title))),
    ]);
    const named = columns.map((name, i) => [name, i]).filter(([name]) => name !== "");
    const every = Math.ceil(named.length * 48 / width);
    const legend = series.length < 2 ? [] : series.flatMap((one, s) => [
      svg("line", { class: "line s" + s, x1: left + 190 * s, x2: left + 190 * s + 24, y1: 8, y2: 8 }),
      text(left + 190 * s + 30, 12, "start", one.name)]);
    return drawing(label, left + width + 20, above + high + below,
      ...marks.flatMap(([value, words]) => [
        svg("line", { x1: left, x2: left + width, y1: y(value), y2: y(value) }),
        text(left - 6, y(value) + 4, "end", words)]),
      ...drawn, ...legend,
      ...named.filter((name, i) => i % every === 0)
        .map(([name, i]) => text(at(i), above + high + 18, "middle", name)));
  }

  // times, by logarithm: a mark for each power of ten
  function timeScale(least, most) {
    const from = Math.floor(Math.log10(Math.max(1, least)));
    const to = Math.max(from + 1, Math.ceil(Math.log10(Math.max(1, most))));
    return { low: from, top: to, place: (value) => Math.log10(Math.max(1, value)),
      marks: Array.from({ length: to - from + 1 }, (none, i) => [10 ** (from + i), page.time(10 ** (from + i))]) };
  }

  // counts and shares, from 0
  function countScale(least, most) {
    const step = 10 ** Math.floor(Math.log10(Math.max(1, most)));
    const marked = step * (most / step > 5 ? 2 : most / step > 2 ? 1 : 0.5);
    const each = Math.max(1, marked);
    const to = Math.max(1, Math.ceil(most / each)) * each;
    return { low: 0, top: to, place: (value) => value,
      marks: Array.from({ length: to / each + 1 }, (none, i) => [i * each, number(i * each)]) };
  }

  // times, from 0: where a tenth more must be seen
  function linearTimeScale(least, most) {
    const { top, place, marks } = countScale(0, most);
    return { low: 0, top, place, marks: marks.map(([value]) => [value, page.time(value)]) };
  }

  return { svg, text, drawing, range, folded, grid, lines, timeScale, linearTimeScale, countScale };
})();
