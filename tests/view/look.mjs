// The viewer in headless Chromium, as people use it: every page in light and dark, 360 and 1280 pixels wide; a search, a
// comparison, keys; and a debate that is followed and voted on while the viewer and the run are killed. Fails on what axe-core
// finds, a page wider than its window, a request to elsewhere, a console message, and a word that is lost or comes twice.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fault, inBrowser, overflow, root, violations } from '../report/browser.mjs';
import { debates, idOf, kill, LONG, ollama, place, rebutEnds, run, sleep, traceOf, until, viewer } from './scene.mjs';

const FORMATS = ['knockout', 'moderated', 'duel', 'roundtable', 'dialectic'];
const JOB = `
format: knockout
topic: Should cities ban private cars from their centres?
rounds: 8
audience: {effect: ballot, window_seconds: 8, min_votes: 1}
x: {name: Resident, position: In favour}
y: [{name: Shopkeeper, position: Against}, {name: Carer}, {name: Commuter}, {name: Planner}]
`;
// What a page may say on the console whose viewer was killed, or whose link was used.
const LOST = /net::ERR_(CONNECTION_REFUSED|CONNECTION_RESET|INCOMPLETE_CHUNKED_ENCODING|EMPTY_RESPONSE)|status of 403/;

const began = Date.now();
const done = (words) => console.log(`${((Date.now() - began) / 1000).toFixed(0)} s: ${words}`);
const check = (is, words) => { if (!is) fault(words); };

// A page in a browser of its own, of which every request and message is watched.
async function opened(browser, url, { mayLose = false, status = 200, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(1000 * LONG);
  page.on('request', (r) => check(new URL(r.url()).origin === new URL(url).origin, `${url} asks for ${r.url()}`));
  page.on('console', (m) => check((mayLose && LOST.test(m.text())) || status !== 200, `${url}: console: ${m.text()}`));
  page.on('pageerror', (e) => fault(`${url}: ${e}`));
  const reply = await page.goto(url);
  check(reply.status() === status, `${url}: ${reply.status()}`);
  return page;
}

// Looks at a page in all four views.
async function seen(page, name) {
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      const view = `${name}, ${colorScheme}, ${width} px`;
      const wide = await overflow(page);
      check(wide <= 0, `${view}: ${wide} pixels wider than the window`);
      for (const found of await violations(page)) fault(`${view}: ${found}`);
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 900 });
}

async function everyPage(browser, at, ids) {
  const [one, two] = ids.slice(-2);
  const open = async (path, options) => {
    const page = await opened(browser, at.url + path, options);
    await page.evaluate(() => document.querySelectorAll('details').forEach((d) => { d.open = true; }));
    await seen(page, path);
    await page.context().close();
  };
  const topic = await opened(browser, `${at.url}/debates`);
  const of = await topic.locator('a[href^="/topic/"]').first().getAttribute('href');
  await topic.context().close();
  const paths = ['/report', ...ids.slice(0, FORMATS.length).map((id) => `/d/${id}`), `/compare?a=${one}&b=${two}`, `/d/${one}/calls`,
    '/', '/debates', '/debates?q=zebra', of, `/d/${one}/search?q=the`, `/compare?a=${one}`];
  const next = async () => {
    for (let path = paths.shift(); path; path = paths.shift()) await open(path);
  };
  await Promise.all([next(), next(), open('/nothing', { status: 404 })]);
  done(`every page of ${ids.length} debates`);
}

async function searchAndCompare(browser, at, id) {
  const page = await opened(browser, `${at.url}/d/${id}`);
  await page.getByLabel('Search in this debate').fill('parked car');
  await page.keyboard.press('Enter');
  await page.waitForURL(/search/);
  await page.locator('.lines a').first().click();
  await page.waitForURL(/#m\d/);
  check(/parked car/i.test(await page.locator('article:target').textContent()), 'a search leads to another statement');
  await page.getByRole('link', { name: 'Compare' }).click();
  await page.getByRole('rowheader').getByRole('link').first().click();
  await page.waitForURL(/b=/);
  check(await page.getByRole('heading', { name: 'Differences' }).isVisible(), 'no differences');
  check(await page.locator('.pair article').count() > 4, 'nothing is compared');
  await page.goto(`${at.url}/debates`);
  await page.getByLabel('Find').fill('zoos');
  await page.keyboard.press('Enter');
  await page.waitForURL(/q=zoos/);
  const found = await page.locator('tbody tr').count();
  check(found === 1, `${found} debates have “zoos”`);
  await page.context().close();
}

// A tab that is opened in the background takes none of the browser's few connections until it is seen.
async function background(browser, at) {
  const context = await browser.newContext();
  await context.addInitScript(() => Object.defineProperty(document, 'hidden', { configurable: true, get: () => true }));
  const page = await context.newPage();
  const streams = [];
  page.on('request', (r) => { if (r.url().endsWith('/events')) streams.push(r.url()); });
  await page.goto(`${at.url}/`);
  await sleep(500);
  check(!streams.length, 'a tab in the background is connected');
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { get: () => false });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await says(page, 'Live.');
  await context.close();
}

// A debate of ten rounds of thirty statements, which has three pages: its anchors and keys lead from one to another.
async function severalPages(browser) {
  const dir = place('view-long');
  rebutEnds(dir, ['run', '--rehearse', join(root, 'tests/capable/roundtable.yaml')]);
  const [debate] = debates(dir);
  const file = join(debate, 'trace.json');
  // Seeds have more digits than numbers have here.
  const trace = JSON.parse(readFileSync(file, 'utf8').replace(/(?<=[:[,]\s*)\d{16,}(?=[\s,}\]])/g, '"seed $&"'));
  const said = trace.statements.filter((s) => s.round);
  trace.statements = Array.from({ length: 300 }, (_, i) => ({ ...said[i % said.length], n: i + 1, round: 1 + Math.floor(i / 30) }));
  writeFileSync(file, JSON.stringify(trace).replace(/"seed (\d+)"/g, '$1'));
  const at = await viewer(dir, ['--listen', '127.0.0.1:0']);
  const page = await opened(browser, `${at.url}/d/${idOf(debate)}`);
  const focused = (id) => until(id, () => page.evaluate((it) => document.activeElement.id === it || location.hash === `#${it}`, id));
  await seen(page, 'the first of several pages');
  await page.getByRole('link', { name: 'Next page' }).first().click();
  await page.waitForURL(/page=2$/);
  await seen(page, 'the second of several pages');
  await page.getByRole('navigation', { name: 'Course of the debate' }).getByRole('link', { name: '10', exact: true }).click();
  await page.waitForURL(/page=3#round-10$/);
  check(await page.locator('#round-10').evaluate((it) => Math.abs(it.getBoundingClientRect().top) < innerHeight), 'the timeline leads elsewhere');
  await page.goto(`${at.url}/d/${idOf(debate)}?page=1#m119`);
  await page.locator('#m119').focus();
  await page.keyboard.press('j');
  await focused('m120');
  await page.keyboard.press('j');
  await page.waitForURL(/page=2#m121$/);
  await page.keyboard.press('k');
  await page.waitForURL(/page=1#m120$/);
  const point = `p-${trace.flow.points[0].id}`;
  for (const [anchor, to] of [['m200', 2], ['round-7', 2], ['arguments', 3], [point, 3]]) {
    await page.goto('about:blank');
    await page.goto(`${at.url}/d/${idOf(debate)}#${anchor}`);
    await page.waitForURL((url) => url.search === `?page=${to}` && url.hash === `#${anchor}`);
    check(await page.evaluate(() => Boolean(document.querySelector(':target'))), `#${anchor} is not on page ${to}`);
  }
  await page.evaluate(() => { location.hash = 'm001'; });
  await page.waitForURL(/page=1#m001$/);
  await page.evaluate(() => { location.hash = 'nowhere'; });
  await page.waitForURL(/page=1$/);
  await page.context().close();
  done('a debate of several pages');
}

// Three windows have streams, and a fourth looks now and then until one of them is closed.
async function fourWindows(browser, at) {
  const context = await browser.newContext();
  const open = async () => {
    const page = await context.newPage();
    await page.goto(`${at.url}/`);
    return page;
  };
  const three = [await open(), await open(), await open()];
  for (const page of three) await says(page, 'Live.');
  const fourth = await open();
  await says(fourth, 'Updated every two seconds');
  const looks = [];
  fourth.on('request', (r) => { if (r.url().endsWith('/events')) looks.push(r.url()); });
  await until('further looks', () => looks.length > 1);
  for (const page of three) check(await page.locator('#link').textContent() === 'Live.', 'a window has lost its stream');
  await three[0].close();
  await says(fourth, 'Live.');
  await context.close();
}

async function keys(browser, at, id) {
  const page = await opened(browser, `${at.url}/d/${id}`);
  const focused = () => page.evaluate(() => document.activeElement.id);
  await page.keyboard.press('Tab');
  check((await page.evaluate(() => document.activeElement.hash)) === '#debate', 'the first stop is not the skip link');
  await page.keyboard.press('Enter');
  for (const [key, wanted] of [['j', /^m/], ['j', /^m/], ['k', /^m/], [']', /^(round|part)-/], ['[', /^(round|part)-/]]) {
    const before = await focused();
    await page.keyboard.press(key);
    const now = await focused();
    check(wanted.test(now) && now !== before, `${key} leads from ${before} to ${now}`);
  }
  const stops = await page.evaluate(() => document.querySelectorAll('a[href], button, input, select, summary, [tabindex="0"]').length);
  const reached = new Set();
  for (let i = 0; i < stops + 2; i += 1) {
    await page.keyboard.press('Tab');
    reached.add(await page.evaluate(() => [...document.querySelectorAll('*')].indexOf(document.activeElement)));
  }
  check(reached.size > stops * 0.9 - 20, `Tab reaches ${reached.size} of ${stops} stops`);
  await page.context().close();
}

// --- A debate that goes on

// Notes how the text of a call grows, and what the page says of its connection.
const recorder = () => {
  globalThis.grown = [];
  globalThis.told = [];
  const calls = document.getElementById('calls');
  const link = document.getElementById('link');
  new MutationObserver(() => {
    const text = calls.querySelector('.plain')?.textContent;
    if (text && globalThis.grown.at(-1) !== text) globalThis.grown.push(text);
  }).observe(calls, { childList: true, subtree: true, characterData: true });
  new MutationObserver(() => globalThis.told.push(link.textContent)).observe(link, { childList: true, characterData: true });
};

const says = (page, words) => page.locator('#link').filter({ hasText: words }).waitFor();

async function textArrives(page) {
  await until('text as it comes', () => page.evaluate(() => globalThis.grown.length > 8));
  const grown = await page.evaluate(() => globalThis.grown);
  const goesOn = grown.filter((text, i) => i > 0 && text.startsWith(grown[i - 1]));
  check(goesOn.length > 4, `the text does not grow: ${JSON.stringify(grown.slice(0, 4))}`);
}

async function readerIsNotMoved(page) {
  await page.evaluate(() => scrollTo(0, 10));
  const said = await page.locator('#new article').count();
  await until('another statement', async () => await page.locator('#new article').count() > said);
  check(await page.evaluate(() => scrollY) === 10, 'new text moves the reader');
  await page.getByLabel('Follow').check();
  await until('following', () => page.evaluate(() => Math.abs(document.getElementById('live').getBoundingClientRect().bottom - innerHeight) < 40));
  // Who scrolls up is not taken back.
  await page.evaluate(() => scrollBy(0, -300));
  await until('the end of following', async () => !(await page.getByLabel('Follow').isChecked()));
}

// A page that follows lets go of what has pages of its own, and leads there.
async function letsGo(browser, url) {
  const page = await opened(browser, url, { mayLose: true });
  await says(page, 'Live.');
  await page.getByLabel('Follow').check();
  await page.evaluate(() => { document.getElementById('live').dataset.full = '1'; });
  const link = page.locator('#new a', { hasText: 'statements' });
  await link.waitFor();
  const reply = await page.request.get(new URL(await link.getAttribute('href'), url).href);
  check(reply.status() === 200, `what was let go is not there: ${reply.status()}`);
  await page.context().close();
}

const nothingMoves = (page) => page.evaluate(() => document.getAnimations().length === 0
  && getComputedStyle(document.documentElement).scrollBehavior === 'auto');

// A tab that is hidden and seen again.
async function hidden(page) {
  const set = (is) => page.evaluate((value) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => value });
    document.dispatchEvent(new Event('visibilitychange'));
  }, is);
  await set(true);
  await sleep(1500);
  await set(false);
}

async function votes(page) {
  const keep = page.getByRole('button', { name: 'Keep' });
  await keep.waitFor();
  for (let i = 0; i < 12 && !(await keep.evaluate((it) => it === document.activeElement)); i += 1) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('Your vote: Keep. You can change it until').waitFor();
  check(await keep.getAttribute('aria-pressed') === 'true', 'the choice is not marked');
}

async function noSecondVoter(browser, link) {
  const page = await opened(browser, link, { mayLose: true });
  await page.getByText('You cannot vote: this link has been used').waitFor();
  await page.context().close();
}

// All statements are on the page once, word for word.
async function nothingLost(page, trace) {
  const shown = await page.evaluate(() => [...document.querySelectorAll('article.said')].map((box) => [box.id,
    box.querySelector('.prose').classList.contains('plain') ? box.querySelector('.plain').textContent : null, box.querySelector('.prose').textContent]));
  const words = (text) => text.match(/[\p{L}\p{N}]+/gu)?.join(' ') ?? '';
  const ids = shown.map(([id]) => id);
  const wanted = trace.statements.map((s) => `m${String(s.n).padStart(3, '0')}`);
  check(JSON.stringify(ids) === JSON.stringify(wanted), `shown ${ids}, said ${wanted}`);
  trace.statements.forEach((s, i) => {
    const [id, plain, text] = shown[i] ?? [];
    check(plain === null ? words(text) === words(s.text) : plain === s.text, `${id} is shown otherwise than said`);
  });
  return shown.length;
}

async function aDebate(browser) {
  const dir = place('view-live');
  writeFileSync(join(dir, 'job.yaml'), JOB);
  rebutEnds(dir, ['run', '--rehearse', join(root, 'tests/capable/duel.yaml')]);
  const [slow, fast] = await Promise.all(['60', '600'].map((speed) => ollama(dir,
    ['--parallel', '4', '--reply-speed', speed, '--prompt-speed', '100000', '--scale', '1', '--sentences', '9'])));
  const args = (server) => ['job.yaml', '--host', server.url, '--concurrency', '4'];
  let at = await viewer(dir, ['--listen', '127.0.0.1:0', '--voters', '1'], 1);
  const port = new URL(at.url).port;
  const voter = await opened(browser, at.links[0], { mayLose: true, viewport: { width: 360, height: 740 } });
  await voter.getByText('No vote is open').waitFor();
  const home = await opened(browser, `${at.url}/`, { mayLose: true });
  await home.getByText('Nothing is running').waitFor();

  // Slow enough that it is not over before everything was looked at, on a busy machine too.
  let job = run(dir, args(slow));
  await home.locator('#open a').waitFor();
  await home.locator('#last a').first().waitFor();
  const path = await home.locator('#open a').getAttribute('href');
  const page = await opened(browser, at.url + path, { mayLose: true, reducedMotion: 'reduce' });
  await page.evaluate(recorder);
  await says(page, 'Live.');
  const vote = votes(voter);
  const gone = letsGo(browser, at.url + path);
  await textArrives(page);
  await seen(page, 'a running debate');
  check(await nothingMoves(page), 'something moves where people want none of it');
  await vote;
  await seen(voter, 'an open vote');
  await noSecondVoter(browser, at.links[0]);
  await seen(home, 'the overview of a run');

  done('text, the vote, both once');
  await kill(at.process);
  await says(page, 'Disconnected since');
  at = await viewer(dir, ['--listen', `127.0.0.1:${port}`]);
  await says(page, 'Live.');
  await readerIsNotMoved(page);
  done('the viewer was killed');
  await kill(job);
  await says(page, 'not running');
  await page.locator('#state').filter({ hasText: 'not running' }).waitFor();
  check(await page.locator('#calls article').count() === 0, 'somebody speaks in a debate that is not running');
  await page.locator('.outcome code').filter({ hasText: 'rebut run' }).waitFor();
  job = run(dir, args(fast));
  await page.locator('#now').waitFor();
  await hidden(page);
  await until('the end of the run', () => job.child.exitCode !== null);
  await gone;
  check(job.child.exitCode === 0, `the run ended with ${job.child.exitCode}: ${job.errors}`);
  await says(page, 'The debate is over.');
  await until('texts as the server lays them out', async () => !(await page.locator('#new .plain').count()));
  const trace = traceOf(debates(dir).at(-1));
  const said = await nothingLost(page, trace);
  const told = await page.evaluate(() => globalThis.told.length);
  check(told <= said, `${told} announcements for ${said} statements`);
  const counted = trace.audience.filter((it) => it.keep === 1 && it.voters === 1).length;
  check(counted >= 1, `the vote is not counted: ${JSON.stringify(trace.audience)}`);
  await voter.getByRole('heading', { name: 'Vote' }).waitFor();
  await page.locator('.outcome .verdict').filter({ hasNotText: 'None' }).waitFor();
  check(await page.locator('.strip a').filter({ hasText: /^8$/ }).count() === 1, 'the strip is that of an earlier round');
  await page.getByRole('link', { name: 'Show the outcome' }).click();
  await page.locator('.outcome .verdict').filter({ hasNotText: 'None' }).waitFor();
  done(`a debate that goes on: ${said} statements, ${told} announcements, ${counted} counted votes`);
}

async function theArchive(browser) {
  const dir = place('view-archive');
  rebutEnds(dir, ['run', '--rehearse', ...FORMATS.map((format) => join(root, `tests/capable/${format}.yaml`))]);
  for (const seed of ['1', '2']) rebutEnds(dir, ['run', '--rehearse', '--seed', seed, join(root, 'jobs/quickstart.yaml')]);
  const at = await viewer(dir, ['--listen', '127.0.0.1:0', '--include-rehearsals', '--voters', '1'], 1);
  const all = debates(dir);
  const ids = all.map(idOf);
  // By its name: several may begin in one second.
  const one = idOf(all.find((path) => path.includes('_quickstart_')));
  await everyPage(browser, at, ids);
  await searchAndCompare(browser, at, one);
  await keys(browser, at, one);
  await background(browser, at);
  await fourWindows(browser, at);
  await severalPages(browser);
  done('search, comparison, keys, windows');
}

// Both at once: one waits for its debate most of the time.
await inBrowser((browser) => Promise.all([theArchive, aDebate].map((part) => part(browser).catch((error) => {
  if (!browser.isConnected()) throw error;
  fault(error.stack);
}))));
