// What scripts that follow debates need: the programs, started and killed by their process ids, and the output directory.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { root } from '../report/browser.mjs';

const rebut = resolve(process.env.REBUT ?? join(root, 'target/debug/rebut'));
const mock = resolve(process.env.MOCK ?? join(root, 'target/debug/mock-ollama'));
const started = new Set();

export const sleep = (ms) => new Promise((done) => { setTimeout(done, ms); });

// How long to wait for what must come, in seconds: on a busy machine much takes long, and nothing is right for being early.
export const LONG = 90;

// Waits until `look` finds something, and returns it; an error when it does not within that time.
export async function until(what, look, seconds = LONG) {
  const end = Date.now() + 1000 * seconds;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`${what}: not within ${seconds} s`);
    await sleep(50);
  }
}

function start(program, args, cwd) {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const process = { child, lines: [], errors: '' };
  let rest = '';
  child.stdout.on('data', (data) => {
    const lines = (rest + data).split('\n');
    rest = lines.pop();
    process.lines.push(...lines);
  });
  child.stderr.on('data', (data) => { process.errors += data; });
  process.ended = new Promise((done) => { child.on('exit', (code, signal) => { started.delete(child); done(code ?? signal); }); });
  started.add(child);
  return process;
}

const line = (process, n) => until('a printed line', () => process.lines[n]);

export async function kill(process, signal = 'SIGKILL') {
  process.child.kill(signal);
  await process.ended;
}

// A directory below target/look that goes with this program, and so do the processes.
export function place(name) {
  const dir = mkdtempSync(join(root, 'target/look', `${name}-`));
  process.on('exit', () => {
    started.forEach((child) => child.kill('SIGKILL'));
    rmSync(dir, { recursive: true, force: true });
  });
  return dir;
}

// Runs `rebut` to its end.
export function rebutEnds(cwd, args) {
  const { status, stdout, stderr } = spawnSync(rebut, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`rebut ${args.join(' ')}: ${status}\n${stderr}`);
  return stdout;
}

export const run = (cwd, args) => start(rebut, ['run', ...args], cwd);

// A viewer: its process, its address and, where links to vote were asked for, these.
export async function viewer(cwd, args, links = 0) {
  const process = start(rebut, ['view', 'output', ...args], cwd);
  const url = (await line(process, 0)).replace(/\/$/, '');
  await line(process, links);
  return { process, url, links: process.lines.slice(1, 1 + links).map((it) => it.match(/http\S+/)[0]) };
}

// The mock server: its process and its address.
export async function ollama(cwd, args) {
  const process = start(mock, args, cwd);
  return { process, url: await line(process, 0) };
}

// The finished debates' directories, the oldest first.
export function debates(cwd) {
  const out = join(cwd, 'output');
  const days = readdirSync(out).filter((name) => /^\d{4}-/.test(name)).sort();
  return days.flatMap((day) => readdirSync(join(out, day)).filter((name) => name.includes('_')).sort()
    .map((name) => join(out, day, name)));
}

export const idOf = (debate) => debate.slice(-12);
export const traceOf = (debate) => JSON.parse(readFileSync(join(debate, 'trace.json'), 'utf8'));
