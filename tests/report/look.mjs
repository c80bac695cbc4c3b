// Opens a page in headless Chromium as people would see it: light, dark, 360 pixels wide, printed. Fails on any request
// other than the file itself, or one to another server than the page's, any console message, any violation that axe-core finds, and a page wider than its window or its sheet.
//
//   node tests/report/look.mjs PAGE.html… [--out DIR]      (a page may be an http:// address too)
//
// It takes Debian's Chromium (or $CHROMIUM) and playwright-core and axe-core from target/look (tests/report/look.sh
// puts them there).
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = resolve(fileURLToPath(import.meta.url), '../../..');
const require = createRequire(join(root, 'target/look/package.json'));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const args = process.argv.slice(2);
const at = args.indexOf('--out');
const out = resolve(at < 0 ? join(root, 'target/look') : args.splice(at, 2)[1]);
mkdirSync(out, { recursive: true });

const views = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  { name: 'narrow', colorScheme: 'light', viewport: { width: 360, height: 740 } },
  { name: 'print', colorScheme: 'dark', viewport: { width: 800, height: 1100 }, print: true },
];

const isServed = (file) => file.startsWith('http://');
const address = (file) => (isServed(file) ? file : pathToFileURL(resolve(file)).href);
const isOwn = (asked, file) => (isServed(file) ? new URL(asked).origin === new URL(file).origin : asked.split('#')[0] === address(file));

let problems = 0;
const problem = (text) => {
  problems += 1;
  console.error(`  FAULT: ${text}`);
};

// The page's own policy lets no script in, not even this one's: axe runs in a world of its own.
async function violations(page) {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send('Page.getFrameTree');
  const world = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id });
  const contextId = world.executionContextId;
  await session.send('Runtime.evaluate', { expression: axe, contextId });
  const run = 'axe.run(document, {resultTypes: ["violations"]}).then((r) => JSON.stringify(r.violations))';
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression: run, contextId, awaitPromise: true, returnByValue: true,
  });
  if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
  return JSON.parse(result.value);
}

async function measures(page) {
  return page.evaluate(() => {
    const shown = (e) => e.getClientRects().length > 0;
    const texts = [...document.querySelectorAll('svg text')].filter(shown);
    const sizes = texts.map((e) => parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a);
    const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    return { wide, smallest: Math.min(...sizes, 99), charts: document.querySelectorAll('svg[role=img]').length };
  });
}

async function look(browser, file, view) {
  const url = address(file);
  const context = await browser.newContext({ colorScheme: view.colorScheme, viewport: view.viewport });
  const page = await context.newPage();
  page.on('request', (r) => isOwn(r.url(), file) || problem(`${view.name}: asks for ${r.url()}`));
  page.on('console', (m) => problem(`${view.name}: console: ${m.text()}`));
  page.on('pageerror', (e) => problem(`${view.name}: ${e}`));
  await page.goto(url);
  const name = join(out, `${basename(file, '.html').replace(/[^\w.-]/g, '-') || 'page'}-${view.name}`);
  if (view.print) {
    await page.pdf({ path: `${name}.pdf`, format: 'A4' });
    await page.emulateMedia({ media: 'print' });
    await page.setViewportSize({ width: 688, height: 1001 });
  }
  const { wide, smallest, charts } = await measures(page);
  if (wide > 0) problem(`${view.name}: ${wide} pixels wider than the window`);
  if (smallest < 11) problem(`${view.name}: a text in a chart is ${smallest} pixels high`);
  await page.screenshot({ path: `${name}-first.png` });
  await page.screenshot({ path: `${name}.png`, fullPage: true });
  if (!view.print) {
    await page.evaluate(() => document.querySelectorAll('details').forEach((d) => { d.open = true; }));
    const opened = await measures(page);
    if (opened.wide > 0) problem(`${view.name}: ${opened.wide} pixels too wide with tables open`);
    for (const v of await violations(page)) {
      problem(`${view.name}: axe ${v.id} (${v.impact}): ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(' … ')}`);
    }
  } else {
    const shut = await page.evaluate(() => [...document.querySelectorAll('main details:not(.set):not(.screen) table')]
      .filter((t) => !t.getClientRects().length).length);
    if (shut > 0) problem(`print: ${shut} tables are not printed`);
  }
  console.log(`${view.name}: ${charts} charts, smallest text in charts ${smallest} px, ${name}.png`);
  await context.close();
}

async function anchors(browser, file) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(address(file));
  const dead = await page.evaluate(() => [...document.querySelectorAll('a[href^="#"]')]
    .filter((a) => !document.getElementById(a.hash.slice(1))).map((a) => a.hash));
  if (dead.length) problem(`links that lead nowhere: ${dead.slice(0, 5)}`);
  const link = page.locator('dl.counts a[href^="#set-"]').first();
  if (await link.count()) {
    const target = (await link.getAttribute('href')).slice(1);
    await link.click();
    const seen = await page.evaluate((id) => document.getElementById(id).getClientRects().length > 0, target);
    if (!seen) problem('the list of debates behind a number does not open');
  }
  await page.close();
}

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
if (!existsSync(executablePath)) {
  console.error(`SKIPPED: no Chromium at ${executablePath} (apt-get install -y chromium)`);
  process.exit(77);
}
// A browser that does not start, or that breaks down, says nothing about the report: that is told, and is no fault of it.
try {
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync'],
  });
  for (const file of args) {
    console.log(file);
    for (const view of views) await look(browser, file, view);
    await anchors(browser, file);
  }
  await browser.close();
} catch (error) {
  console.error(`SKIPPED: the browser broke down: ${error}`);
  process.exit(problems ? 1 : 77);
}
console.log(problems ? `${problems} faults` : 'no fault');
process.exit(problems ? 1 : 0);
