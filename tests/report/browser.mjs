// Chromium for scripts that look at pages: Debian's (or $CHROMIUM), with playwright-core and axe-core from target/look, where
// browser.sh puts them.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(fileURLToPath(import.meta.url), '../../..');
const require = createRequire(join(root, 'target/look/package.json'));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'];

let faults = 0;
export const fault = (text) => {
  faults += 1;
  console.error(`  FAULT: ${text}`);
};

const skip = (words) => {
  console.error(`SKIPPED: ${words}`);
  process.exit(faults ? 1 : 77);
};

// Runs `look` in a browser and ends the program: with 0, or with 1 where `look` found a fault. A browser that does not start, or
// that breaks down, says nothing about the pages: then it is 77, and why is printed.
export async function inBrowser(look) {
  if (!existsSync(executablePath)) skip(`no Chromium at ${executablePath} (apt-get install -y chromium)`);
  const browser = await chromium.launch({ executablePath, args }).catch((error) => skip(`Chromium does not start: ${error}`));
  try {
    await look(browser);
  } catch (error) {
    if (!browser.isConnected()) skip(`the browser broke down: ${error}`);
    fault(error.stack ?? error);
  }
  await browser.close();
  console.log(faults ? `${faults} faults` : 'no fault');
  process.exit(faults ? 1 : 0);
}

// The page's own policy lets no script in, not even this one's: axe runs in a world of its own.
export async function violations(page) {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send('Page.getFrameTree');
  const world = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id });
  const contextId = world.executionContextId;
  await session.send('Runtime.evaluate', { expression: axe, contextId });
  const run = 'axe.run(document, {resultTypes: ["violations"]}).then((r) => JSON.stringify(r.violations))';
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression: run, contextId, awaitPromise: true, returnByValue: true,
  });
  await session.detach();
  if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
  return JSON.parse(result.value).map((v) => {
    const where = v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(' … ');
    return `axe ${v.id} (${v.impact}): ${v.help}: ${where}`;
  });
}

// How many pixels a page is wider than its window.
export const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
