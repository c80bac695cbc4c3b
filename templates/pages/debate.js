// Keys: j and k go from statement to statement, ] and [ from part to part. Without this script the page lacks nothing else.
(() => {
  const steps = { j: ['article', 1], k: ['article', -1], ']': ['section.part', 1], '[': ['section.part', -1] };
  const next = (selector, step) => {
    const all = [...document.querySelectorAll(selector)];
    const tops = all.map((e) => Math.round(e.getBoundingClientRect().top) - 12);
    if (step > 0) return all.find((_, i) => tops[i] > 2);
    return all.findLast((_, i) => -tops[i] > 2);
  };
  document.addEventListener('keydown', (event) => {
    const [selector, step] = steps[event.key] ?? [];
    const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (!selector || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = next(selector, step);
    if (!to) return;
    to.scrollIntoView();
    to.focus({ preventScroll: true });
  });
  document.querySelector('.keys').hidden = false;
})();
