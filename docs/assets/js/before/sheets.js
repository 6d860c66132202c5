// With every page the theme makes each relative address on it absolute, so that it can tell by their text which parts of
// the head two pages share. For a style sheet that means to load it a second time and to work all styles out again.
// Here a sheet keeps the address it was loaded from and only its text, for the comparison, is the absolute one.
(function () {
  "use strict";
  for (const link of document.querySelectorAll("link[rel=stylesheet]")) {
    const { href } = link;
    const copy = link.cloneNode();
    copy.href = href;
    Object.defineProperties(link, {
      href: { get: () => href, set() {} },
      outerHTML: { get: () => copy.outerHTML },
    });
  }
})();
