// The theme loads with every page what only a search or a click on a link needs: the index of the search, on which it
// works for a second or two, and the maps of the site in all languages. Both take a core that the page or Python
// wants, so these requests wait here.
(function () {
  "use strict";
  const READING_MS = 10_000;
  const { open, send } = XMLHttpRequest.prototype;
  const kinds = ["focusin", "pointerover", "pointerdown"];
  const held = new Map(); // request -> what holds it

  /** Hold requests for what `url` matches until somebody turns to what `place` selects. */
  function hold(url, place) {
    const one = { url, place, release };
    function release() {
      for (const kind of kinds) document.removeEventListener(kind, turned, true);
      one.url = null;
      for (const [request, by] of held) {
        if (by !== one) continue;
        held.delete(request);
        send.call(request);
      }
    }
    function turned({ target }) {
      if (target.closest?.(place)) release();
    }
    for (const kind of kinds) document.addEventListener(kind, turned, true);
    return one;
  }

  // Whoever presses "/" or follows a link with a query has the focus put there by the theme. A link from the search of
  // another page wants its words marked, for which the theme reads the index.
  const index = hold(/\/search\/search_index\.json$/, ".md-search, [for=__search]");
  if (new URLSearchParams(location.search).has("h")) index.release();
  const map = hold(/\/sitemap\.xml$/, "a");
  setTimeout(map.release, READING_MS);
  document.addEventListener("we:answered", map.release, { once: true }); // the wizard has nothing more to work out

  // A word of a query stands for every word that begins with it, which the theme's search takes for equals: the word
  // itself comes first. A query with operators is left alone.
  const QUERY = 2; // the theme's kind of message
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (message, ...rest) {
    const plain = message?.type === QUERY && !/["*:^~]|(?:^|\s)[+-]/.test(message.data);
    const data = plain ? message.data.trim().replace(/\S+/g, "$&^5 $&") : "";
    return postMessage.call(this, data ? { ...message, data } : message, ...rest);
  };

  const asked = new WeakMap(); // request -> what will hold it
  XMLHttpRequest.prototype.open = function (method, url, ...rest) {
    const by = [index, map].find((one) => one.url?.test(url));
    if (by) asked.set(this, by);
    return open.call(this, method, url, ...rest);
  };
  XMLHttpRequest.prototype.send = function (body) {
    const by = asked.get(this);
    if (by?.url) held.set(this, by);
    else send.call(this, body);
  };
})();
