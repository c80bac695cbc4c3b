// Keys: j and k go from statement to statement, ] and [ from part to part, at the edges of a page to the next one. An anchor that is
// on another page leads there. Without this script the page lacks nothing else.
(() => {
  const steps = { j: ['article', 1], k: ['article', -1], ']': ['section.part', 1], '[': ['section.part', -1] };
  const next = (selector, step) => {
    const all = [...document.querySelectorAll(selector)];
    const tops = all.map((e) => Math.round(e.getBoundingClientRect().top) - 12);
    // What is in focus may be too near to the end of the page to stand at the top.
    const at = all.indexOf(document.activeElement);
    if (at >= 0 && tops[at] > -2 && innerHeight > tops[at]) return all[at + step];
    if (step > 0) return all.find((_, i) => tops[i] > 2);
    return all.findLast((_, i) => -tops[i] > 2);
  };
  const turn = (step) => {
    const link = document.querySelector(`.pages [rel=${step > 0 ? 'next' : 'prev'}]`);
    if (link) location.assign(link.href + link.dataset.to);
  };
  document.addEventListener('keydown', (event) => {
    const [selector, step] = steps[event.key] ?? [];
    const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (!selector || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = next(selector, step);
    if (!to) { turn(step); return; }
    to.scrollIntoView();
    to.focus({ preventScroll: true });
  });
  document.querySelector('.keys').hidden = false;
  const lead = () => {
    const anchor = location.hash.slice(1);
    const pages = document.querySelector('.pages');
    if (!anchor || !pages || document.getElementById(anchor)) return;
    location.replace(`${location.pathname}/at/${encodeURIComponent(anchor)}?from=${pages.dataset.page}`);
  };
  addEventListener('hashchange', lead);
  lead();
})();
