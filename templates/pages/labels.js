'use strict';
(() => {
  const sheet = document.getElementById('sheet');
  const { sheet: id, version } = sheet.dataset;
  const debates = [...sheet.querySelectorAll('article')];
  const rater = document.getElementById('rater');
  const state = document.getElementById('state');
  const kept = `rebut-labels-${id}`;
  const keys = { 1: 'first', 2: 'second', 0: 'tie', 9: 'both_bad', 8: 'cannot_say' };
  let at = 0;
  let note = '';
  // Only the time in which the page is seen counts.
  let seen = 0;
  let since = null;

  const drawn = () => `r-${[...crypto.getRandomValues(new Uint8Array(4))].map((n) => n.toString(16).padStart(2, '0')).join('')}`;
  const load = () => {
    try { return JSON.parse(localStorage.getItem(kept)) ?? {}; } catch { return {}; }
  };
  const all = { rater: drawn(), answers: {}, ...load() };

  // Another tab may have kept answers since: the later one of a place counts.
  const merge = () => {
    const { rater: code, answers = {} } = load();
    if (Object.keys(answers).length > 0) all.rater = code;
    for (const [item, said] of Object.entries(answers)) {
      if (!(all.answers[item]?.at >= said.at)) all.answers[item] = said;
    }
  };
  const keep = () => {
    merge();
    try {
      localStorage.setItem(kept, JSON.stringify(all));
      note = '';
    } catch {
      note = ' This browser keeps nothing: save before you close the page.';
    }
  };
  const tell = () => {
    const done = Object.keys(all.answers).length;
    // Answers under two codes would count as those of two people.
    rater.readOnly = done > 0;
    rater.value = all.rater;
    state.textContent = `${done} of ${debates.length} answered.${done === debates.length ? ' All done: save your answers.' : ''}${note}`;
  };
  const pause = () => {
    if (since !== null) seen += performance.now() - since;
    since = null;
  };
  const resume = () => { since = document.hidden ? null : performance.now(); };

  const press = () => {
    const value = all.answers[at + 1]?.value;
    debates[at].querySelectorAll('button').forEach((b) => b.setAttribute('aria-pressed', String(b.dataset.value === value)));
  };
  const show = (n, moves) => {
    at = Math.max(0, Math.min(n, debates.length - 1));
    debates.forEach((d, i) => { d.hidden = i !== at; });
    document.getElementById('previous').disabled = at === 0;
    document.getElementById('next').disabled = at === debates.length - 1;
    seen = 0;
    resume();
    press();
    tell();
    if (moves) {
      window.scrollTo(0, 0);
      debates[at].querySelector('h2').focus({ preventScroll: true });
    }
  };
  const answer = (value) => {
    pause();
    all.answers[at + 1] = { value, seconds: Math.round(seen / 1000), at: new Date().toISOString() };
    keep();
    press();
    if (at + 1 < debates.length) show(at + 1, true);
    else { tell(); resume(); }
  };
  const save = () => {
    keep();
    tell();
    const answers = Object.entries(all.answers).map(([item, said]) => ({ item: Number(item), ...said }));
    const text = JSON.stringify({ labels_version: Number(version), sheet: id, rater: all.rater, answers }, null, 1);
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([`${text}\n`], { type: 'application/json' }));
    link.download = `labels-${id}-${all.rater}.json`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };

  rater.addEventListener('input', () => {
    all.rater = rater.value.replace(/[^A-Za-z0-9._-]/g, '') || drawn();
    keep();
  });
  rater.addEventListener('change', () => { rater.value = all.rater; });
  sheet.addEventListener('click', (e) => {
    const button = e.target.closest('button[data-value]');
    if (button) answer(button.dataset.value);
  });
  document.getElementById('previous').addEventListener('click', () => show(at - 1, true));
  document.getElementById('next').addEventListener('click', () => show(at + 1, true));
  document.getElementById('save').addEventListener('click', save);
  document.addEventListener('visibilitychange', () => (document.hidden ? pause() : resume()));
  document.addEventListener('keydown', (e) => {
    // A key that is held answers once.
    if (e.repeat || e.ctrlKey || e.metaKey || e.altKey || e.target === rater) return;
    if (Object.hasOwn(keys, e.key)) { answer(keys[e.key]); e.preventDefault(); }
    if (e.key === 'ArrowLeft') show(at - 1, true);
    if (e.key === 'ArrowRight') show(at + 1, true);
  });
  const open = debates.findIndex((_, i) => !all.answers[i + 1]);
  keep();
  show(open < 0 ? debates.length - 1 : open, false);
})();
