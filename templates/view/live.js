// Follows a debate that goes on: text as it comes, statements once they are said. Texts become text nodes and nothing else.
(() => {
  const live = document.getElementById('live');
  const [said, calls, link, follow] = ['new', 'calls', 'link', 'follow'].map((id) => document.getElementById(id));
  const cast = new Map([...document.querySelectorAll('#cast li')].map((li) => [li.dataset.id, li]));
  const open = new Map();
  let after = live.dataset.after;
  let source;
  let streams;
  let wait = 1000;
  let since;
  let over = false;
  let stopped = false;

  const make = (name, text, parent, cls) => {
    const made = document.createElement(name);
    made.textContent = text;
    if (cls) made.className = cls;
    parent?.append(made);
    return made;
  };
  // Who is not in the cast speaks for the program: `fact_checker`.
  const word = (id) => id.charAt(0).toUpperCase() + id.slice(1).replaceAll('_', ' ');
  const name = (id) => cast.get(id)?.textContent ?? word(id);
  const side = (id) => (cast.get(id)?.dataset.side ? ` side-${cast.get(id).dataset.side}` : '');
  const tell = (words) => { if (link.textContent !== words) link.textContent = words; };
  const box = follow.firstElementChild;
  let reached = 0;
  const toEnd = () => {
    if (!box.checked) return;
    live.scrollIntoView({ block: 'end' });
    reached = scrollY;
  };
  // Who scrolls up wants to read there. Browsers tell of it a moment later: text that comes in between must not take them back.
  const mayLeave = () => { if (scrollY < reached && live.getBoundingClientRect().bottom - innerHeight > 80) box.checked = false; };
  const keep = (change) => {
    mayLeave();
    change();
    toEnd();
  };
  box.addEventListener('change', toEnd);
  addEventListener('scroll', mayLeave);

  // What stands above the statements changes as the debate goes on: it is taken from its page as that is by now.
  let renewing;
  const fresh = (page, part, last) => {
    const [old, now] = [document, page].map((where) => where.querySelector(part));
    if (!now || old?.contains(document.activeElement)) return old ?? last;
    if (old) old.replaceWith(now);
    else last?.after(now);
    return now;
  };
  const renew = () => {
    clearTimeout(renewing);
    renewing = setTimeout(() => {
      const asked = new XMLHttpRequest();
      asked.responseType = 'document';
      asked.onload = () => keep(() => {
        // The page of a debate that is over has parts that this one lacks.
        const parts = ['.outcome', ...(over ? [] : ['.strip', '#stances', '#seats'])];
        if (asked.status !== 200) return;
        said.querySelectorAll('article').forEach(({ id }) => fresh(asked.response, `#${id} .prose`));
        parts.reduce((last, part) => fresh(asked.response, part, last), null);
        if (!over) fresh(asked.response, '#trouble', document.getElementById('debate'));
        top();
      });
      asked.open('GET', live.dataset.at);
      asked.send();
    }, 500);
  };

  // A call under way: who is asked, for how long, and the text so far.
  const start = (call, attempt, role, model, sent) => {
    end(call);
    // What the clerk checks, and what is asked for again.
    told(call.split('/').slice(0, 3).join('/'), call.split('/')[3] ? 'the clerk checks this' : 'discarded; asked again');
    const box = make('article', '', calls, `said live${side(role)}`);
    const head = make('h4', '', box);
    make('bdi', name(role), head);
    const meta = make('p', '', box, 'meta');
    const body = make('div', '', box, 'prose plain');
    const text = body.appendChild(document.createTextNode(''));
    const state = { call, role, speaks: cast.has(role) ? 'speaks' : 'writes', box, meta, text, attempt, model, to: 0, sent, at: Date.now() };
    open.set(call, state);
    mark(state);
    return state;
  };
  // A text whose call has ended stays until it is said or asked for again: it may be checked first.
  const held = new Map();
  const told = (call, words) => { const state = held.get(call); if (state) state.meta.textContent = `${words} · ${state.model}`; };
  const drop = (call) => { held.get(call)?.box.remove(); held.delete(call); };
  const hold = (call) => {
    const state = open.get(call);
    if (!state?.text.length) { end(call); return; }
    drop(call);
    open.delete(call);
    held.set(call, state);
    state.box.classList.add('held');
    told(call, 'has spoken');
  };
  const mark = (state) => {
    const seconds = Math.floor((Date.now() - state.at) / 1000);
    const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    const does = state.text.length ? state.speaks : `${state.sent ? 'thinks' : 'waits for a server'} ${time}`;
    const again = state.attempt > 1 ? ` · attempt ${state.attempt}` : '';
    const words = `${does} · ${state.model}${again}`;
    // With every piece of text, and mostly the same.
    if (state.meta.textContent !== words) state.meta.textContent = words;
    top();
  };
  // At the top: which round it is, and who writes. It is made anew with what stands above the statements.
  let begun = Number(live.dataset.round);
  let closes = Date.now() + 1000 * live.dataset.votesLeft;
  const rounds = Number(live.dataset.rounds);
  const turns = /^(retry|fallback|gave_up|refusal|emergency|missing|invalid|abstained)$/;
  // Ballots and verdicts are given by who reads.
  const reads = (state) => /\/(ballot|verdict)/.test(state.call);
  const does = (state) => {
    const [, , by, aside] = state.call.split('/');
    if (!by) return 'takes notes';
    return aside ? `checks the reply of ${name(by)}` : `is ${reads(state) ? 'read' : 'writ'}ing`;
  };
  const doing = ([first, ...more]) => {
    const left = Math.ceil((closes - Date.now()) / 1000);
    if (left > 0) return `audience votes, ${left} s left`;
    if (!first) return '';
    const who = name(first.role);
    if (!first.sent) return more.length ? `${who} and ${more.length} more wait for a server` : `${who} waits for a server`;
    if (more.length && [first, ...more].every(reads)) return 'Judges are reading';
    return `${who} ${does(first)}${more.length ? `, ${more.length} more` : ''}`;
  };
  // Closings are checked and interrupted as other statements are.
  let isAfter = false;
  const top = () => {
    const all = [...open.values()];
    const sent = all.filter((it) => it.sent);
    const asked = sent.length ? sent : all;
    const [now, words] = [document.getElementById('now'), doing(asked)];
    if (!now || !words || stopped) return;
    isAfter ||= /^(closing|final|end)\//.test(asked[0]?.call);
    const where = isAfter ? 'After the rounds: ' : begun ? `Round ${begun}${rounds ? ` of ${rounds}` : ''}: ` : '';
    if (now.textContent !== `${where}${words}.`) now.textContent = `${where}${words}.`;
  };
  const end = (call) => { open.get(call)?.box.remove(); open.delete(call); };
  // Nobody knows what goes on while disconnected.
  setInterval(() => { if (!since) { open.forEach(mark); top(); } }, 1000);

  const statement = (s) => {
    const id = `m${String(s.n).padStart(3, '0')}`;
    held.forEach((state, call) => { if (state.role === s.by) drop(call); });
    if (document.getElementById(id)) return;
    spoke += 1;
    renew();
    const box = make('article', '', said, `said${side(s.by)}`);
    box.id = id;
    box.tabIndex = -1;
    const head = make('h4', '', box);
    make('a', String(s.n).padStart(3, '0'), head).href = `#${id}`;
    head.append(' ');
    make('bdi', name(s.by), head);
    const round = s.round ? `round ${s.round} · ` : '';
    const phase = s.phase === 'interjection' ? 'interruption' : s.phase.replaceAll('_', ' ');
    make('p', `${round}${phase}${s.model ? ` · ${s.model}` : ''} · ${s.tokens} tokens${s.cut ? ' · cut' : ''}`, box, 'meta');
    make('div', s.text, box, 'prose plain');
  };
  const note = (words, id = '') => {
    const made = make('p', words, said, 'votes');
    if (id) made.id = id;
    return made;
  };
  // A page that follows for hours lets go of what is far behind: it has pages of its own.
  const letGo = () => {
    const all = said.querySelectorAll('article');
    if (!box.checked || Number(live.dataset.full) > all.length) return;
    const n = all[0].id.slice(1);
    said.replaceChildren();
    make('a', `statements ${n} to ${all[all.length - 1].id.slice(1)}`, note('Earlier: ')).href = `${live.dataset.at}/m/${n}`;
  };
  const heading = (n) => { make('h3', `Round ${n}`, said).id = `round-${n}`; };
  // Statements of the round so far.
  let spoke = begun ? document.querySelectorAll(`#round-${begun} article, #round-${begun} ~ article`).length : 0;
  const round = (n) => {
    begun = n;
    isAfter = false;
    spoke = 0;
    letGo();
    heading(n);
    renew();
  };
  // A vote to keep the debater or to replace it; where nobody could come in, on its position.
  const words = (of) => (of.on_position ? ['upheld', 'not upheld'] : ['keep', 'replace']);
  const ballot = (b) => {
    if (b.by.kind === 'audience') return;
    const vote = typeof b.continue === 'boolean' ? `votes on ${name(b.about)}: ${words(b)[b.continue ? 0 : 1]}` : 'cast no valid ballot';
    note(`${name(b.by.id)} ${vote}`);
  };
  // Nobody may have spoken in it yet.
  if (begun && !document.getElementById(`round-${begun}`)) heading(begun);
  const rotation = (r) => {
    const [is, next] = [name(r.debater), name(r.next)];
    const became = r.rotated ? `is voted out, ${next} comes in` : r.voted_out ? 'is voted out and not replaced' : r.out_since ? `was voted out after round ${r.out_since}` : 'keeps the seat';
    note(`${is} ${became}`, `round-${r.round}-votes`);
    renew();
  };
  const logged = {
    round_start: (e) => { if (e.round) round(e.round); },
    statement: (e) => statement(e.content),
    comment: (e) => statement(e.content),
    audience_open: ({ content: a }) => { closes = Date.parse(a.closes_at); },
    rejection: ({ content: r }) => r.reasons && note(`An earlier reply of ${name(r.by)} was discarded: ${r.reasons.join('; ')}`),
    audience: ({ content: a }) => { closes = 0; note(`The audience on round ${a.round}: ${a.voters ? `${a.keep} ${words(a)[0]}, ${a.rotate} ${words(a)[1]}${a.unverified ? ' (unverified)' : ''}` : a.present ? 'nobody voted' : 'nobody was there to vote'}`); },
    ballot: ({ content: b }) => ballot(b),
    rotation: ({ content: r }) => rotation(r),
    stance: ({ content: s }) => note(`${name(s.by.id)} stands at ${s.stance ?? 'no valid stance'}`),
    // A change of debaters is told already, and so is who spoke alone.
    summary: ({ content: s }) => { if (s.headline && spoke > 1 && !document.getElementById(`round-${s.round}-votes`)) note(s.headline); },
    // The others are among the problems below, and what was discarded is told with its reason.
    incident: ({ content: i }) => { if (turns.test(i.kind)) note(i.message); },
    verdict: () => note('The verdict is in.'),
  };
  const passing = {
    call_start: (e) => start(e.metadata.call, e.metadata.attempt, e.metadata.role, e.metadata.model, false),
    call_sent: (e) => {
      const state = open.get(e.metadata.call);
      if (state) Object.assign(state, { sent: true, to: 0, at: Date.now() }).text.data = '';
    },
    call_wait: (e) => { const state = open.get(e.metadata.call); if (state) state.sent = false; },
    call_end: (e) => (e.content.error ? end : hold)(e.metadata.call),
    statement_chunk: (chunk) => {
      const state = open.get(chunk.call);
      if (!state || state.attempt !== chunk.attempt) return;
      if (state.to !== chunk.from) { again(0); return; }
      state.text.appendData(chunk.text);
      state.to = chunk.to;
      mark(state);
    },
    stopped: () => { stopped = true; },
    now: (all) => {
      const calls = new Set(all.map((it) => it.call));
      [...held.keys()].forEach(drop);
      [...open.keys()].filter((call) => !calls.has(call)).forEach(end);
      all.forEach((it) => {
        const known = open.get(it.call);
        const goesOn = known?.attempt === it.attempt && known.sent === it.sent && it.text.startsWith(known.text.data);
        const state = goesOn ? known : start(it.call, it.attempt, it.role, it.model, it.sent);
        state.text.appendData(it.text.slice(state.text.length));
        state.to = it.to;
        mark(state);
        if (it.ended) hold(it.call);
      });
      standing();
      if (!streams) again(share.pause);
    },
  };

  const connected = () => (streams ? 'Live.' : share.slow);
  // Whether the run is there, as far as that is new.
  let ran = true;
  const standing = () => {
    if (stopped) tell('The debate is unfinished and not running.');
    else if (!ran) tell(connected());
    if (ran === stopped) renew();
    ran = !stopped;
    follow.hidden = stopped;
  };
  const close = () => { share.leave(); source?.close(); source = undefined; };
  const again = (ms) => {
    close();
    setTimeout(() => { if (!document.hidden) connect(); }, ms);
  };
  const connect = async () => {
    if (over) return;
    close();
    streams = await share.take();
    if (document.hidden) share.leave();
    if (document.hidden || source) return;
    stopped = false;
    source = new EventSource(`${live.dataset.at}/events?after=${after}`);
    source.onopen = () => { wait = 1000; since = undefined; if (ran) tell(connected()); };
    source.onerror = () => {
      since ??= share.time();
      tell(`Disconnected since ${since}; trying again.`);
      wait = Math.min(wait * 2, 4000);
      again(wait);
    };
    Object.entries(logged).forEach(([event, show]) => source.addEventListener(event, ({ data }) => keep(() => show(JSON.parse(data)))));
    // Every logged event moves the place from which to go on.
    ['debate_start', 'memory', 'notes', 'interjection', 'fact_check', 'retrieval', 'complete', ...Object.keys(logged)]
      .forEach((event) => source.addEventListener(event, ({ lastEventId }) => { after = lastEventId || after; }));
    Object.entries(passing).forEach(([event, show]) => source.addEventListener(event, ({ data }) => keep(() => show(JSON.parse(data)))));
    source.addEventListener('reset', () => { close(); location.reload(); });
    source.addEventListener('unreadable', () => {
      over = true;
      close();
      tell('The rest is too long to show here.');
    });
    source.addEventListener('complete', () => {
      over = true;
      close();
      // The end of a call is not logged: who comes later does not hear of it.
      [...open.keys()].forEach(end);
      [...held.keys()].forEach(drop);
      renew();
      follow.hidden = true;
      tell('The debate is over. ');
      make('a', 'Show the outcome', link).href = live.dataset.at;
    });
  };
  document.addEventListener('visibilitychange', () => (document.hidden ? close() : connect()));
  addEventListener('pageshow', (event) => { if (event.persisted) connect(); });
  // A tab that is opened in the background waits: browsers have few connections for all tabs together.
  if (!document.hidden) connect();
})();
