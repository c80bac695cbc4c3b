// Opens a page in headless Chromium as people would see it: light, dark, 360 pixels wide, printed. Fails on any request
// other than the file itself, or one to another server than the page's, any console message, any violation that axe-core finds, and a page wider than its window or its sheet.
//
//   node tests/report/look.mjs PAGE.html… [--out DIR]      (a page may be an http:// address too; pictures only with --out)
import { mkdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fault as problem, inBrowser, overflow, violations } from './browser.mjs';

const args = process.argv.slice(2);
const at = args.indexOf('--out');
const out = at < 0 ? null : resolve(args.splice(at, 2)[1]);
if (out) mkdirSync(out, { recursive: true });
if (args.length === 0) problem('no page was given');

const views = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  { name: 'narrow', colorScheme: 'light', viewport: { width: 360, height: 740 } },
  { name: 'print', colorScheme: 'dark', viewport: { width: 800, height: 1100 }, print: true },
];

const isServed = (file) => file.startsWith('http://');
const address = (file) => (isServed(file) ? file : pathToFileURL(resolve(file)).href);
const isOwn = (asked, file) => (isServed(file) ? new URL(asked).origin === new URL(file).origin : asked.split('#')[0] === address(file));

async function measures(page) {
  return page.evaluate(() => {
    const shown = (e) => e.getClientRects().length > 0;
    const texts = [...document.querySelectorAll('svg text')].filter(shown);
    const sizes = texts.map((e) => parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a);
    return { smallest: Math.min(...sizes, 99), charts: document.querySelectorAll('svg[role=img]').length };
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
  const name = `${basename(file, '.html').replace(/[^\w.-]/g, '-') || 'page'}-${view.name}`;
  if (view.print) {
    if (out) await page.pdf({ path: join(out, `${name}.pdf`), format: 'A4' });
    await page.emulateMedia({ media: 'print' });
    await page.setViewportSize({ width: 688, height: 1001 });
  }
  const [wide, { smallest, charts }] = [await overflow(page), await measures(page)];
  if (wide > 0) problem(`${view.name}: ${wide} pixels wider than the window`);
  if (smallest < 11) problem(`${view.name}: a text in a chart is ${smallest} pixels high`);
  if (out) {
    await page.screenshot({ path: join(out, `${name}-first.png`) });
    await page.screenshot({ path: join(out, `${name}.png`), fullPage: true });
  }
  if (!view.print) {
    await page.evaluate(() => document.querySelectorAll('details').forEach((d) => { d.open = true; }));
    const opened = await overflow(page);
    if (opened > 0) problem(`${view.name}: ${opened} pixels too wide with tables open`);
    for (const found of await violations(page)) problem(`${view.name}: ${found}`);
  } else {
    const shut = await page.evaluate(() => [...document.querySelectorAll('main details:not(.set):not(.screen) table')]
      .filter((t) => !t.getClientRects().length).length);
    if (shut > 0) problem(`print: ${shut} tables are not printed`);
  }
  console.log(`${view.name}: ${charts} charts, smallest text in charts ${smallest} px`);
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

await inBrowser(async (browser) => {
  for (const file of args) {
    console.log(file);
    await Promise.all([...views.map((view) => look(browser, file, view)), anchors(browser, file)]);
  }
});
