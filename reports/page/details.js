// What can be folded: an address that leads there opens it, and so does printing.
"use strict";
(() => {
  function follow() {
    const target = document.getElementById(location.hash.slice(1));
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
})();
