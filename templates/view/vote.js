// The vote: what can be voted on, two buttons, what was counted. Texts become text nodes and nothing else.
(() => {
  const by = (id) => document.getElementById(id);
  const make = (tag, words, into, kind) => {
    const made = document.createElement(tag);
    made.textContent = words;
    if (kind) made.className = kind;
    into.append(made);
    return made;
  };
  // What keeps the debater and what does not, as the team's ballots have it.
  const words = (it) => (it.on_position ? ['Upheld', 'Not upheld'] : ['Keep', 'Replace']);
  const boxes = new Map();
  const clock = (at) => new Date(at).toLocaleTimeString([], { hour12: false });
  const mark = (box, choice, until) => {
    for (const [name, button] of Object.entries(box.buttons)) button.setAttribute('aria-pressed', String(name === choice));
    box.said.textContent = `Your vote: ${box.buttons[choice].textContent}. You can change it until ${clock(until)}.`;
  };
  const cast = async (box, choice) => {
    box.cast = true;
    box.said.textContent = 'Sending …';
    try {
      const reply = await fetch(`/vote/${box.id}/${box.round}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ choice }),
      });
      if (!reply.ok) { box.said.textContent = `${await reply.text()}.`; return; }
      const { until } = await reply.json();
      mark(box, choice, until);
    } catch {
      box.said.textContent = 'No answer: this vote may not have been counted. Vote again.';
    }
  };
  // The topic, which leads to the debate where voters may read it.
  const topic = (it, into) => { if (it.page) make('a', it.topic, into).href = it.page; else into.append(it.topic); };
  const open = (window) => {
    const section = make('section', '', by('open'));
    make('h2', `Round ${window.round}`, section);
    topic(window, make('p', '', section));
    const who = window.debater ?? 'the debater';
    make('p', window.on_position ? `Did ${who} uphold the position?` : `Should ${who} go on?`, section, 'question');
    const box = { id: window.id, round: window.round, section, buttons: {} };
    box.left = make('p', '', section, 'meta');
    const row = make('p', '', section, 'choices');
    for (const [choice, word] of [['keep', words(window)[0]], ['rotate', words(window)[1]]]) {
      const button = make('button', word, row, 'choice');
      button.type = 'button';
      button.setAttribute('aria-pressed', 'false');
      button.addEventListener('click', () => cast(box, choice));
      box.buttons[choice] = button;
    }
    box.said = make('p', '', section);
    box.said.setAttribute('role', 'status');
    const argues = window.position ? `${who} argues: “${window.position}”. ` : '';
    const counts = window.effect === 'ballot' ? `The votes count as one judge's ballot${window.min_votes > 1 ? ` if ${window.min_votes} or more people vote and there is no tie` : ' unless there is a tie'}.` : 'The votes are shown beside those of the judges and change nothing.';
    const means = window.on_position ? 'Nobody can come in any more.' : '“Replace” has another of the team speak instead.';
    make('p', `${argues}${means} ${counts}`, section, 'meta');
    for (const { name, text } of window.said) {
      const article = make('article', '', section, 'said');
      make('h3', name, article);
      make('div', text, article, 'prose plain');
    }
    return box;
  };
  const tick = () => boxes.forEach((box) => {
    box.left.textContent = `${Math.max(0, Math.ceil((box.ends - performance.now()) / 1000))} s left`;
  });
  const came = (it) => {
    if (!it.debater) return 'Not decided yet.';
    if (it.next) return `${it.debater} is voted out, ${it.next} comes in.`;
    if (it.out_since) return `${it.debater} was voted out after round ${it.out_since}.`;
    return `${it.debater} ${it.voted_out ? 'is voted out and not replaced' : 'keeps the seat'}.`;
  };
  const line = (it) => {
    const judges = it.judges.map((j) => `${j.name} ${j.keep === true ? words(it)[0].toLowerCase() : j.keep === false ? words(it)[1].toLowerCase() : 'no ballot'}`);
    const why = it.voters < it.min_votes ? `${it.min_votes} are needed` : it.tie ? 'a tie' : 'too few votes';
    const effect = it.effect === 'shown' ? 'shown only' : it.counted ? 'counted as one ballot' : `not counted: ${why}`;
    const on = it.debater ? `, on ${it.debater}` : '';
    return `, round ${it.round}${on}. Audience: ${it.votes} (${effect}). Judges: ${judges.join(', ')}. ${came(it)}`;
  };
  const show = (now) => {
    const keys = new Set(now.open.map((w) => `${w.id}/${w.round}`));
    for (const [key, box] of boxes) if (!keys.has(key)) { box.section.remove(); boxes.delete(key); }
    for (const window of now.open) {
      const key = `${window.id}/${window.round}`;
      if (!boxes.has(key)) boxes.set(key, open(window));
      const box = boxes.get(key);
      box.ends = performance.now() + window.ms_left;
      // What this voter chose before the page was loaded.
      if (window.own && !box.cast) mark(box, window.own, window.closes_at);
    }
    const told = JSON.stringify(now.closed);
    // A list that says the same stays, with the focus in it.
    if (by('closed').dataset.told !== told) {
      by('closed').dataset.told = told;
      by('closed').replaceChildren();
      now.closed.forEach((it) => {
        const li = make('li', '', by('closed'));
        topic(it, li);
        li.append(line(it));
      });
    }
    by('closed-box').hidden = !now.closed.length;
    const who = now.unverified ? ' Your vote is unverified: you came without a link.' : '';
    by('link').textContent = (now.open.length ? 'Voting is open.' : 'No vote is open; the next one will appear here.') + who;
    tick();
  };
  const look = async () => {
    try {
      const reply = await fetch('/vote/state');
      if (reply.ok) show(await reply.json());
      else by('link').textContent = `You cannot vote: ${await reply.text()}.`;
    } catch {
      by('link').textContent = 'The viewer does not answer; trying again.';
    }
  };
  look();
  setInterval(() => { if (!document.hidden) look(); }, 2000);
  setInterval(tick, 1000);
  document.addEventListener('visibilitychange', () => { if (!document.hidden) look(); });
})();
