// The theme loads the index of the search with every page and then works on it for a second or two, on a core that
// the page or Python wants. Here the request waits until somebody turns to the search.
(function () {
  "use strict";
  const INDEX = /\/search\/search_index\.json$/;
  const SEARCH = ".md-search, [for=__search]";
  // a link from the search of another page wants its words marked, for which the theme reads the index
  if (new URLSearchParams(location.search).has("h")) return;
  const { open, send } = XMLHttpRequest.prototype;
  const asked = new WeakSet(); // requests for the index
  const waiting = [];

  XMLHttpRequest.prototype.open = function (method, url, ...rest) {
    if (INDEX.test(url)) asked.add(this);
    return open.call(this, method, url, ...rest);
  };
  XMLHttpRequest.prototype.send = function (body) {
    if (asked.has(this)) waiting.push(this);
    else send.call(this, body);
  };

  // Whoever presses "/" or follows a link with a query has the focus put there by the theme.
  function turned({ target }) {
    if (!target.closest?.(SEARCH)) return;
    for (const kind of kinds) document.removeEventListener(kind, turned, true);
    Object.assign(XMLHttpRequest.prototype, { open, send });
    for (const request of waiting) send.call(request);
  }
  const kinds = ["focusin", "pointerover", "pointerdown"];
  for (const kind of kinds) document.addEventListener(kind, turned, true);
})();
