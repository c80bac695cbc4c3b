// Takes the pictures of the documentation: see make.sh. The first argument is the directory for them, others are their names.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inBrowser, root } from '../../tests/report/browser.mjs';
import { debates, idOf, ollama, place, rebutEnds, run, traceOf, until, viewer } from '../../tests/view/scene.mjs';
import { standIn } from './stand-in.mjs';

const [out, ...names] = process.argv.slice(2);
mkdirSync(out, { recursive: true });
const isWanted = (...all) => !names.length || all.some((name) => names.includes(name));

const DESK = { viewport: { width: 1080, height: 860 } };
const PHONE = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2 };
const FORMATS = ['moderated', 'duel', 'roundtable', 'dialectic'];
const MODEL = 'scripted';
const quickstart = join(root, 'jobs/quickstart.yaml');
const capable = (format) => join(root, `tests/capable/${format}.yaml`);

async function opened(browser, url, options = DESK) {
  const page = await (await browser.newContext({ colorScheme: 'light', ...options })).newPage();
  await page.goto(url);
  return page;
}

async function take(page, name) {
  if (isWanted(name)) await page.screenshot({ path: join(out, `${name}.png`) });
  await page.context().close();
}

async function finished(browser) {
  const dir = place('pictures');
  rebutEnds(dir, ['run', '--rehearse', quickstart, ...FORMATS.map(capable)]);
  rebutEnds(dir, ['run', '--rehearse', '--seed', '3', '--all-models', 'mistral', quickstart]);
  const all = debates(dir).map((debate) => [traceOf(debate).format, debate]);
  const of = (format) => all.find(([its]) => its === format)[1];
  for (const [format, name] of [['knockout', 'debate'], ...FORMATS.map((it) => [it, it])]) {
    await take(await opened(browser, pathToFileURL(join(of(format), 'debate.html')).href), name);
  }
  const phone = await opened(browser, pathToFileURL(join(of('duel'), 'debate.html')).href, PHONE);
  await take(phone, 'phone');
  const at = await viewer(dir, ['--listen', '127.0.0.1:0']);
  const knockouts = all.filter(([format]) => format === 'knockout').map(([, debate]) => idOf(debate));
  await take(await opened(browser, `${at.url}/compare?a=${knockouts[0]}&b=${knockouts[1]}`), 'compare');
}

async function report(browser) {
  const dir = place('pictures');
  rebutEnds(dir, ['run', '--rehearse', join(root, 'jobs/tournament.yaml'), '--output', 'rehearsed']);
  rebutEnds(dir, ['report', 'rehearsed', '--include-rehearsals', '-o', 'report.html']);
  const page = await opened(browser, pathToFileURL(join(dir, 'report.html')).href, { viewport: { width: 1280, height: 1176 } });
  await take(page, 'report');
}

// A night on a server that speaks what scripts say.
async function running(browser) {
  const dir = place('pictures');
  mkdirSync(join(dir, 'output/.rebut'), { recursive: true });
  const files = [quickstart, ...FORMATS.map(capable)];
  const mock = await ollama(dir, ['--model', MODEL, '--parallel', '3', '--reply-speed', '25', '--prompt-speed', '2000', '--scale', '1']);
  const server = await standIn(files.map((file) => file.replace(/\.yaml$/, '.script.txt')), mock.url);
  const job = `${readFileSync(quickstart, 'utf8')}\naudience: {effect: ballot, window_seconds: 45, min_votes: 3}\n`;
  writeFileSync(join(dir, 'city-centres.yaml'), job);
  const at = await viewer(dir, ['--listen', '127.0.0.1:0', '--voters', '1'], 1);
  const voter = await opened(browser, at.links[0], PHONE);
  await voter.getByText('No vote is open').waitFor();
  const more = ['carbon-tax', 'school-phones', 'voting-age'].map((name) => join(root, `jobs/${name}.yaml`));
  const jobs = ['city-centres.yaml', ...files.slice(1), ...more];
  run(dir, [...jobs, '--all-models', MODEL, '--host', server, '--concurrency', '3', '--max-debates', '3']);
  const home = await opened(browser, `${at.url}/`);
  const city = home.locator('#open a').filter({ hasText: 'private cars' });
  await city.waitFor({ timeout: 60_000 });
  const tonight = overview(home);
  const page = await opened(browser, at.url + await city.getAttribute('href'));
  await page.getByLabel('Follow').check();

  const keep = voter.getByRole('button', { name: 'Keep' });
  await keep.waitFor({ timeout: 180_000 });
  await keep.click();
  await voter.getByText('You can change it until').waitFor();
  await keep.scrollIntoViewIfNeeded();
  await voter.evaluate(() => scrollTo(0, 0));
  await take(voter, 'vote');

  const spoken = (n) => page.evaluate((words) => [...document.querySelectorAll('#calls .plain')]
    .some((it) => it.textContent.split(' ').length > words), n);
  await until('a ballot', async () => (await page.locator('#new .votes').count()) > 2);
  await until('a statement that comes', () => spoken(45));
  await take(page, 'running');
  await tonight;
}

async function overview(page) {
  const is = async (list, count) => await page.locator(`#${list} li`).count() >= count;
  await until('two finished debates beside two open ones', async () => (await is('last', 2)) && is('open', 2), 400);
  await page.waitForTimeout(2000);
  await take(page, 'tonight');
}

await inBrowser(async (browser) => {
  if (isWanted('debate', 'compare', 'phone', ...FORMATS)) await finished(browser);
  if (isWanted('report')) await report(browser);
  if (isWanted('running', 'tonight', 'vote')) await running(browser);
});
