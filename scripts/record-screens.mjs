// Runs the commonest commands in a real terminal (tmux) of several widths, against mail servers on loopback, and keeps what a
// person would see in docs/screens. With names behind it, only those screens; --show prints them instead; --widths 40,200.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { lists, screens } from '../test/screens/screens.mjs';

const { values: flags, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    show: { type: 'boolean' },
    colour: { type: 'boolean' },
    widths: { type: 'string', default: '40,80,120' },
    environment: { type: 'string', multiple: true, default: [] },
  },
});
const widths = flags.widths.split(',').map(Number);
const root = join(import.meta.dirname, '..');
const target = join(root, 'docs/screens');
const longestMs = 30_000;

const work = mkdtempSync(join(tmpdir(), 'mailvet-screens-'));
let socket = '';
let terminals = 0;
const tmux = (...args) => execFileSync('tmux', ['-S', socket, ...args], { encoding: 'utf8' });

/** Runs a program in a terminal of its own until it ends, and gives the screen and all that scrolled off it. */
async function capture(words, { width, environment, keys = [] }) {
  const variables = Object.entries(environment).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  // A server of its own: one that was just told to end may still take the call.
  socket = join(work, `tmux${++terminals}`);
  tmux('-f', '/dev/null', 'new-session', '-d', '-s', 'keep', '-x', '80', '-y', '50', 'sleep 60');
  try {
    tmux('set-option', '-g', 'remain-on-exit', 'on');
    tmux('set-option', '-g', 'remain-on-exit-format', '');
    tmux('set-option', '-g', 'history-limit', '5000');
    tmux('new-session', '-d', '-s', 'screen', '-x', String(width), '-y', '50', '-c', work, ...variables, ...words);
    await untilDead(keys);
    const text = (...how) => tmux('capture-pane', '-p', ...how, '-S', '-', '-t', 'screen').trimEnd();
    return { screen: text(...(flags.colour ? ['-e'] : [])), joined: text('-J') };
  } finally {
    tmux('kill-server');
  }
}

async function untilDead(keys) {
  const end = Date.now() + longestMs;
  for (const { after, press } of keys) {
    while (!tmux('capture-pane', '-p', '-t', 'screen').includes(after)) {
      if (Date.now() > end) throw new Error(`The screen never showed "${after}".`);
      await pause(50);
    }
    tmux('send-keys', '-t', 'screen', press);
  }
  while (tmux('display-message', '-p', '-t', 'screen', '#{pane_dead}').trim() !== '1') {
    if (Date.now() > end) throw new Error(`Did not end:\n${tmux('capture-pane', '-p', '-t', 'screen')}`);
    await pause(50);
  }
}

async function openWorld() {
  const file = join(work, 'world.mjs');
  await build({
    entryPoints: [join(root, 'test/screens/world.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: file,
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return (await import(pathToFileURL(file).href)).startWorld();
}

const world = await openWorld();
try {
  const environment = {
    PATH: process.env.PATH,
    HOME: work,
    LANG: 'C.UTF-8',
    TERM: 'screen-256color',
    TZ: 'UTC',
    MAILVET_HOME: join(work, 'home'),
    MAILVET_CONFIG_DIR: join(work, 'config'),
    MAILVET_RESOLVERS: world.resolver,
    MAILVET_SMTP_PORT: String(world.smtpPort),
    MAILVET_ALLOW_NETWORKS: '127.0.0.0/8',
    MAILVET_EHLO_NAME: 'probe.contoso.com',
    ...Object.fromEntries(flags.environment.map((text) => text.split(/=(.*)/s).slice(0, 2))),
  };
  for (const [name, text] of Object.entries(lists)) writeFileSync(join(work, name), text);
  const program = [process.execPath, join(root, 'bin/mailvet.js')];
  const run = (words) =>
    execFileSync(program[0], [program[1], ...words], { cwd: work, env: environment, stdio: 'pipe' });
  if (!flags.show) mkdirSync(target, { recursive: true });
  for (const { name, before = [], words, keys } of screens) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    for (const width of widths) {
      if (width === widths[0]) for (const each of before) run(each);
      const { screen, joined } = await capture([...program, ...words], { width, environment, keys });
      const shown = `$ ${['mailvet', ...words].join(' ')}\n${screen.replaceAll(work, '~')}\n`;
      if (flags.show) console.log(`${'='.repeat(width)} ${name} ${width}\n${shown}`);
      else writeFileSync(join(target, `${name}-${width}.txt`), shown);
      const wide = joined
        .split('\n')
        .filter((line) => line.split(' ').every((word) => word.length <= width) && [...line].length > width);
      if (wide.length > 0) process.exitCode = 1;
      if (wide.length > 0) console.error(`${name} at ${width} columns has lines that are wider:\n${wide.join('\n')}`);
    }
  }
} finally {
  await world.close();
  rmSync(work, { recursive: true, force: true });
}
