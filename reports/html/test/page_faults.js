// What a reader who cannot see the page, or see it well, or has no mouse, would miss: prints a line for
// each fault. Evaluated in the page; its value is the text.
(() => {
  const faults = [];
  const visible = (element) => element.checkVisibility() && element.getClientRects().length > 0;
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  ids.filter((id, i) => ids.indexOf(id) !== i).forEach((id) => faults.push("id twice: " + id));
  for (const link of document.querySelectorAll('a[href^="#"]')) {
    const place = link.getAttribute("href").slice(1).split("?")[0];
    if (!ids.includes(place)) {
      faults.push("a link to nowhere: " + place);
    }
    if ((link.getAttribute("aria-label") ?? link.textContent).trim() === "") {
      faults.push("a link without a name: " + link.outerHTML);
    }
  }
  for (const field of document.querySelectorAll("input, select")) {
    if (field.labels.length === 0) {
      faults.push("a field without a label: " + field.outerHTML);
    }
  }
  for (const table of document.querySelectorAll("table")) {
    if (table.querySelector("th") === null) {
      faults.push("a table without headings");
    }
  }
  for (const part of document.querySelectorAll("section, nav, svg")) {
    if (!part.hasAttribute("aria-label") && !ids.includes(part.getAttribute("aria-labelledby"))) {
      faults.push("a part without a name: " + part.id);
    }
  }
  // contrast as WCAG 2.1 has it: 4.5 to 1 at least
  const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const back = channels(getComputedStyle(at).backgroundColor);
      if (back.length === 3 || back[3] === 1) {
        return back;
      }
    }
    return [255, 255, 255];
  };
  const seen = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (texts.currentNode.data.trim() === "" || !visible(element) || element.closest("svg")) {
      continue;
    }
    const [a, b] = [light(channels(getComputedStyle(element).color)), light(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const kind = element.tagName + "." + element.className;
    if (ratio < 4.5 && !seen.has(kind)) {
      seen.add(kind);
      faults.push(`contrast ${ratio.toFixed(2)} of ${kind}`);
    }
  }
  return faults.join("\n");
})()
