// Keeps the overview as things are. Texts become text nodes and nothing else.
(() => {
  const by = (id) => document.getElementById(id);
  let source;
  let since;
  let rows = 0;
  const set = (id, words) => { if (by(id).textContent !== words) by(id).textContent = words; };
  // Commands in backticks are code.
  const make = (name, text) => {
    const made = document.createElement(name);
    const part = (words, i) => (i % 2 ? made.appendChild(document.createElement('code')) : made).append(words);
    text.split(/`((?:rebut |ollama |--)[\w .:/=,-]+)`/).forEach(part);
    return made;
  };
  const row = (address, topic, meta, tag = 'bdi', which = '') => {
    const li = document.createElement('li');
    const said = make(tag, topic);
    li.append(said);
    if (address) {
      const a = make('a', '');
      a.href = address;
      said.replaceWith(a);
      a.append(said);
    }
    if (which) li.appendChild(make('span', which)).className = 'which';
    if (meta) li.appendChild(make('span', meta)).className = 'meta';
    return li;
  };
  // A list that says the same stays: who reads it, or has a link of it in focus, is not moved.
  const list = (id, rows) => {
    const texts = JSON.stringify(rows);
    if (by(id).dataset.texts === texts) return;
    const at = [...by(id).querySelectorAll('a')].indexOf(document.activeElement);
    by(id).replaceChildren(...rows.map((cells) => row(...cells)));
    by(id).dataset.texts = texts;
    if (at >= 0) by(id).querySelectorAll('a')[at]?.focus({ preventScroll: true });
  };
  const show = (now) => {
    set('line', now.line);
    const going = (d) => [`/d/${d.id}`, d.topic, [d.id, d.format, d.round, d.doing, d.standing].filter(Boolean).join(' · '), 'bdi', d.which];
    list('open', now.open.map(going));
    // What stands below it is not moved each time that a debate waits.
    rows = now.open.length && Math.max(rows, by('open').offsetHeight);
    by('open').style.minHeight = `${rows}px`;
    list('waiting', now.waiting.map(going));
    set('waiting-h', `${now.waiting.length} more waiting for a server`);
    by('waiting-box').hidden = !now.waiting.length;
    by('open-box').hidden = !now.open.length && !now.waiting.length;
    set('more-open', now.more_open ? `and ${now.more_open} more in progress` : '');
    list('needs', now.needs.map((d) => [d.page && `/d/${d.id}`, d.topic, [d.id, d.standing, d.cause].filter(Boolean).join(' · ')]));
    set('more-needs', now.more_needs ? `and ${now.more_needs} more` : '');
    list('commands', now.commands.map((c) => ['', c.command, c.does, 'code']));
    set('earlier', now.earlier);
    by('needs-box').hidden = !now.needs.length && !now.commands.length && !now.earlier;
    list('told', now.told.map((line) => ['', line]));
    by('told-box').hidden = !now.told.length;
    list('last', now.last.map((d) => [`/d/${d.id}`, d.topic, [d.outcome, ...d.marks].join(' · ')]));
    set('finished', String(now.finished));
    set('unfinished', String(now.unfinished));
    by('left').hidden = !now.unfinished;
  };
  const close = () => { share.leave(); source?.close(); source = undefined; };
  const later = (ms) => setTimeout(() => { if (!document.hidden) connect(); }, ms);
  const connect = async () => {
    close();
    const streams = await share.take();
    if (document.hidden) share.leave();
    if (document.hidden || source) return;
    source = new EventSource('/events');
    source.onopen = () => { since = undefined; set('link', streams ? 'Live.' : share.slow); };
    source.onerror = () => {
      since ??= share.time();
      set('link', `Disconnected since ${since}; trying again.`);
      if (source?.readyState === 2) later(5000);
    };
    source.addEventListener('state', ({ data }) => {
      show(JSON.parse(data));
      if (!streams) { close(); later(share.pause); }
    });
  };
  document.addEventListener('visibilitychange', () => (document.hidden ? close() : connect()));
  addEventListener('pageshow', (event) => { if (event.persisted) connect(); });
  // A tab that is opened in the background waits: browsers have few connections for all tabs together.
  if (!document.hidden) connect();
})();
