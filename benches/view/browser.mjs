// What goals.py has Chromium measure; prints JSON. Run by tests/report/browser.sh's rules:
//   screen URL PAGES     latencies from a word like w1795291200123 to the frame that shows it, until the input ends
//   paint URL…           milliseconds to the largest paint, nodes of the document, bytes of the heap
//   tabs URL N           milliseconds until each of N tabs has loaded, all but the first in the background
//   night URL            follows one debate after the other until the input ends: each text as it stands on the page at the
//                        end, and on the page when it is opened anew, which is made from the trace
//   weigh URL…           requests of pages and their bytes
import { gzipSync } from 'node:zlib';
import { inBrowser } from '../../tests/report/browser.mjs';

const [what, ...args] = process.argv.slice(2);
const inputEnds = new Promise((done) => { process.stdin.on('end', done).resume(); });
const print = (value) => console.log(JSON.stringify(value));

const stamps = () => {
  globalThis.shown = [];
  // What was written before somebody looked has waited for that.
  const begun = Date.now();
  const seen = new WeakMap();
  const calls = document.getElementById('calls');
  new MutationObserver(() => {
    const fresh = [...calls.querySelectorAll('.plain')].flatMap((box) => {
      const text = box.textContent;
      const from = seen.get(box) ?? 0;
      seen.set(box, text.length);
      return text.slice(from).match(/w\d{13}/g) ?? [];
    });
    if (!fresh.length) return;
    requestAnimationFrame(() => setTimeout(() => {
      const now = Date.now();
      globalThis.shown.push(...fresh.map((stamp) => Number(stamp.slice(1))).filter((at) => at > begun).map((at) => now - at));
    }));
  }).observe(calls, { childList: true, subtree: true, characterData: true });
};

async function screen(browser, url, count) {
  const pages = [];
  for (let n = 0; n < Number(count); n += 1) {
    const page = await (await browser.newContext()).newPage();
    await page.goto(url);
    await page.evaluate(stamps);
    pages.push(page);
  }
  console.error('ready');
  await inputEnds;
  print((await Promise.all(pages.map((page) => page.evaluate(() => globalThis.shown)))).flat());
}

async function paint(browser, ...urls) {
  for (const url of urls) {
    const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    await page.addInitScript(() => {
      globalThis.largest = 0;
      new PerformanceObserver((list) => { globalThis.largest = list.getEntries().at(-1).startTime; })
        .observe({ type: 'largest-contentful-paint', buffered: true });
    });
    await page.goto(url);
    await page.waitForTimeout(500);
    const { metrics } = await session.send('Performance.getMetrics');
    const of = (name) => metrics.find((it) => it.name === name).value;
    print({ url, ms: await page.evaluate(() => globalThis.largest), nodes: of('Nodes'), heap: of('JSHeapUsedSize') });
    await page.context().close();
  }
}

async function tabs(browser, url, count) {
  const context = await browser.newContext();
  const pages = await Promise.all(Array.from({ length: Number(count) }, () => context.newPage()));
  await Promise.all(pages.slice(1).map((page) => page.addInitScript(() => {
    Object.defineProperty(document, 'hidden', { get: () => true });
    Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' });
  })));
  const load = async (page) => {
    const began = Date.now();
    await page.goto(url, { timeout: 15_000 }).catch(() => {});
    return Date.now() - began;
  };
  print(await Promise.all(pages.map(load)));
}

async function night(browser, url) {
  let isOver = false;
  inputEnds.then(() => { isOver = true; });
  const page = await (await browser.newContext()).newPage();
  const wait = (ms) => page.waitForTimeout(ms);
  const done = new Set();
  while (!isOver) {
    await page.goto(`${url}/`).catch(() => wait(500));
    const open = await page.$$eval('#open a', (all) => all.map((a) => a.getAttribute('href'))).catch(() => []);
    const path = open.find((it) => !done.has(it));
    if (!path) { await wait(300); continue; }
    const reply = await page.goto(url + path).catch(() => null);
    if (reply?.status() !== 200 || !(await page.$('#link'))) { await wait(300); continue; }
    done.add(path);
    const ends = page.locator('#link').filter({ hasText: 'The debate is over' });
    while (!isOver && !(await ends.count())) await wait(100);
    const isFollowed = (await ends.count()) > 0;
    const shown = await texts(page);
    const isFinished = async () => (await page.goto(url + path).catch(() => null))?.status() === 200 && !(await page.$('#link'));
    while (isFollowed && !(await isFinished())) await wait(300);
    print({ path, isOver: isFollowed, shown, anew: isFollowed ? await texts(page) : [] });
  }
}

const texts = (page) => page.$$eval('article.said:not(.live)', (all) => all.map((box) => [box.id, box.querySelector('.prose').textContent.trim().replace(/\s+/g, ' ')]));

async function weigh(browser, ...urls) {
  for (const url of urls) {
    const page = await (await browser.newContext()).newPage();
    const loaded = [];
    // A stream has no end.
    page.on('response', (reply) => { if (!reply.url().endsWith('/events')) loaded.push(reply); });
    await page.goto(url);
    const bytes = [];
    for (const reply of loaded) {
      const body = await reply.body().catch(() => Buffer.alloc(0));
      bytes.push({ url: reply.url(), raw: body.length, gz: gzipSync(body).length });
    }
    print(bytes);
    await page.context().close();
  }
}

const all = { screen, paint, tabs, night, weigh };
await inBrowser((browser) => all[what](browser, ...args));
