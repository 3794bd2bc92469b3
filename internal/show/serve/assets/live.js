// Brings new numbers to a page that is open. The server sends the same fragment
// that the page was made of; what is the same in it stays as it is, so that what
// somebody has unfolded, chosen or is at with the keyboard is not touched. What it
// says itself stands in the page, in the language of its reader.
"use strict";
(() => {
  const part = document.querySelector("[data-live]");
  if (!part || !window.EventSource) return;

  // same makes one node say what another says, and tells whether it could.
  const same = (have, want) => {
    if (have.nodeType !== want.nodeType || have.nodeName !== want.nodeName) return false;
    if (have.nodeType !== Node.ELEMENT_NODE) {
      if (have.nodeValue !== want.nodeValue) have.nodeValue = want.nodeValue;
      return true;
    }
    for (const a of [...have.attributes]) {
      if (!want.hasAttribute(a.name) && a.name !== "open") have.removeAttribute(a.name);
    }
    for (const a of [...want.attributes]) {
      if (a.name !== "open" && have.getAttribute(a.name) !== a.value) have.setAttribute(a.name, a.value);
    }
    const from = [...have.childNodes], to = [...want.childNodes];
    to.forEach((n, i) => {
      if (i >= from.length) have.append(document.importNode(n, true));
      else if (!same(from[i], n)) from[i].replaceWith(document.importNode(n, true));
    });
    from.slice(to.length).forEach((n) => n.remove());
    return true;
  };

  const state = document.createElement("span");
  state.className = "muted";
  const button = document.createElement("button");
  button.type = "button";
  button.className = "soft";
  const line = document.createElement("p");
  line.append(button, " ", state);
  part.before(line);

  let source = null;
  const stop = (why) => {
    if (source) source.close();
    source = null;
    button.textContent = part.dataset.resume;
    state.textContent = why;
  };
  const start = () => {
    source = new EventSource(part.dataset.live);
    button.textContent = part.dataset.pause;
    state.textContent = part.dataset.current;
    source.addEventListener("memory", (e) => {
      const fresh = document.createElement("template"); // nothing in one is loaded or run
      fresh.innerHTML = JSON.parse(e.data).html;
      const want = part.cloneNode(false);
      want.append(fresh.content);
      same(part, want);
      state.textContent = part.dataset.current;
    });
    source.addEventListener("failed", (e) => { state.textContent = JSON.parse(e.data).what; });
    source.addEventListener("end", () => stop(part.dataset.ended));
    source.onerror = () => {
      if (source && source.readyState === EventSource.CLOSED) stop(part.dataset.closed);
      else state.textContent = part.dataset.lost;
    };
  };
  button.addEventListener("click", () => (source ? stop(part.dataset.paused) : start()));
  // A page that nobody sees asks nothing of the host.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden && source) { stop(part.dataset.paused); button.dataset.again = "1"; }
    else if (!document.hidden && button.dataset.again) { delete button.dataset.again; start(); }
  });
  start();
})();
