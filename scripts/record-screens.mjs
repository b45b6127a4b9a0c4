// Runs common commands in a real terminal (tmux) of several widths, against mail servers on loopback, and writes the
// screens to docs/screens. Fails if a line is wider than the terminal.
//   node scripts/record-screens.mjs [NAME…] [--show] [--color] [--widths 40,200] [--environment NAME=VALUE]
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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
    color: { type: 'boolean' },
    widths: { type: 'string' },
    environment: { type: 'string', multiple: true, default: [] },
  },
});
const wantedWidths = flags.widths?.split(',').map(Number);
const root = join(import.meta.dirname, '..');
const target = join(root, 'docs/screens');
const timeoutMs = 30_000;

const work = mkdtempSync(join(tmpdir(), 'mailvet-screens-'));
let socket = '';
let terminals = 0;
const tmux = (...args) => execFileSync('tmux', ['-S', socket, ...args], { encoding: 'utf8' });

/** Runs a program in a new terminal until it ends, or shows `until`; returns the screen with its scrollback. */
async function capture(args, { width, environment, keys = [], until = null }) {
  const variables = Object.entries({ PAGER: 'cat', ...environment }).flatMap(([name, value]) => [
    '-e',
    `${name}=${value}`,
  ]);
  // A new server each time: one that is ending may still accept a connection.
  socket = join(work, `tmux${++terminals}`);
  tmux('-f', '/dev/null', 'new-session', '-d', '-s', 'keep', '-x', '80', '-y', '50', 'sleep 60');
  try {
    tmux('set-option', '-g', 'remain-on-exit', 'on');
    tmux('set-option', '-g', 'remain-on-exit-format', '');
    tmux('set-option', '-g', 'history-limit', '5000');
    tmux('new-session', '-d', '-s', 'screen', '-x', String(width), '-y', '50', '-c', work, ...variables, ...args);
    await waitForExit(keys, until);
    const text = (...options) => tmux('capture-pane', '-p', ...options, '-S', '-', '-t', 'screen').trimEnd();
    return { screen: text(...(flags.color ? ['-e'] : [])), joined: text('-J'), colored: text('-e') };
  } finally {
    tmux('kill-server');
  }
}

/** Presses keys when their text appears, then waits until the program ends, or shows `until`. */
async function waitForExit(keys, until) {
  const end = Date.now() + timeoutMs;
  const waitFor = async (text) => {
    while (!tmux('capture-pane', '-p', '-t', 'screen').includes(text)) {
      if (Date.now() > end)
        throw new Error(`The screen never showed "${text}":\n${tmux('capture-pane', '-p', '-t', 'screen')}`);
      await pause(50);
    }
  };
  for (const { after, press } of keys) {
    await waitFor(after);
    tmux('send-keys', '-t', 'screen', press);
  }
  if (until !== null) return waitFor(until);
  while (tmux('display-message', '-p', '-t', 'screen', '#{pane_dead}').trim() !== '1') {
    if (Date.now() > end) throw new Error(`Did not end:\n${tmux('capture-pane', '-p', '-t', 'screen')}`);
    await pause(50);
  }
}

async function startServers() {
  const file = join(work, 'fake-network.mjs');
  await build({
    entryPoints: [join(root, 'test/screens/fake-network.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: file,
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return (await import(pathToFileURL(file).href)).startFakeNetwork();
}

/** The colors of a terminal by their SGR code. */
const colors = {
  31: '#f38ba8',
  32: '#a6e3a1',
  33: '#f9e2af',
  34: '#89b4fa',
  35: '#cba6f7',
  36: '#94e2d5',
  90: '#7f849c',
};

/** A picture of a screen with its colors (SGR), in lines of text. */
function svgOf(text, width) {
  const [charWidth, lineHeight, padding] = [8.4, 18, 16];
  const escapeMarkup = (part) => part.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  let style = {};
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line, row) => {
      let column = 0;
      const spans = line.split(/(\x1b\[[\d;]*m)/).map((part) => {
        const [, codes] = /^\x1b\[([\d;]*)m$/.exec(part) ?? [];
        if (codes === undefined) {
          const x = padding + column * charWidth;
          column += [...part].length;
          const look = `${style.color ? ` fill="${style.color}"` : ''}${style.bold ? ' font-weight="bold"' : ''}${style.dim ? ' opacity="0.6"' : ''}`;
          return part.trim() === '' ? '' : `<tspan x="${x.toFixed(1)}"${look}>${escapeMarkup(part)}</tspan>`;
        }
        for (const code of codes.split(';').map(Number)) {
          if (code === 0) style = {};
          else if (code === 1) style = { ...style, bold: true };
          else if (code === 2) style = { ...style, dim: true };
          else if (code === 22) style = { ...style, bold: false, dim: false };
          else if (code === 39) style = { ...style, color: null };
          else if (colors[code]) style = { ...style, color: colors[code] };
        }
        return '';
      });
      return `<text y="${Math.round(padding + (row + 0.8) * lineHeight)}" xml:space="preserve">${spans.join('')}</text>`;
    });
  const [w, h] = [Math.round(width * charWidth + 2 * padding), lines.length * lineHeight + 2 * padding];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w} ${h}" width="${w}" height="${h}">
<title>${escapeMarkup(text.split('\n', 1)[0])}</title>
<rect width="100%" height="100%" rx="8" fill="#1e1e2e"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#cdd6f4">
${lines.join('\n')}
</g>
</svg>
`;
}

const servers = await startServers();
try {
  const environment = {
    PATH: process.env.PATH,
    HOME: work,
    LANG: 'C.UTF-8',
    TERM: 'screen-256color',
    TZ: 'UTC',
    MAILVET_HOME: join(work, 'home'),
    MAILVET_CONFIG_DIR: join(work, 'config'),
    MAILVET_RESOLVERS: servers.resolver,
    MAILVET_SMTP_PORT: String(servers.smtpPort),
    MAILVET_ALLOW_NETWORKS: '127.0.0.0/8',
    MAILVET_EHLO_NAME: 'probe.contoso.com',
    ...Object.fromEntries(flags.environment.map((text) => text.split(/=(.*)/s).slice(0, 2))),
  };
  for (const [name, text] of Object.entries(lists)) writeFileSync(join(work, name), text);
  mkdirSync(join(work, 'bin'));
  symlinkSync(join(root, 'bin/mailvet.js'), join(work, 'bin/mailvet'));
  const path = `PATH='${join(work, 'bin')}':$PATH`;
  writeFileSync(join(work, 'bashrc'), `${path}\nPS1='$ '\nsource <(mailvet completion bash)\n`);
  const program = [process.execPath, join(root, 'bin/mailvet.js')];
  const run = (args) => execFileSync(program[0], [program[1], ...args], { cwd: work, env: environment, stdio: 'pipe' });
  if (!flags.show) mkdirSync(target, { recursive: true });
  for (const { name, before = [], words, keys, until, isShell = false, picture, widths: own = [80] } of screens) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const widths = wantedWidths ?? own;
    for (const width of widths) {
      // Otherwise an upload would find the job of the width before.
      rmSync(join(work, 'home', 'unfetched'), { recursive: true, force: true });
      if (width === widths[0]) for (const each of before) run(each);
      const args = isShell ? ['bash', '--rcfile', join(work, 'bashrc')] : [...program, ...words];
      const { screen, joined, colored } = await capture(args, { width, environment, keys, until });
      const typed = isShell ? '' : `$ ${['mailvet', ...words].join(' ')}\n`;
      const recorded = `${typed}${screen.replaceAll(work, '~')}\n`;
      if (flags.show) console.log(`${'='.repeat(width)} ${name} ${width}\n${recorded}`);
      else writeFileSync(join(target, `${name}-${width}.txt`), recorded);
      if (picture && !flags.show) {
        writeFileSync(
          join(root, `docs/images/${picture}.svg`),
          svgOf(`${typed}${colored.replaceAll(work, '~')}`, width),
        );
      }
      const wide = joined
        .split('\n')
        .filter((line) => line.split(' ').every((word) => word.length <= width) && [...line].length > width);
      if (wide.length > 0) process.exitCode = 1;
      if (wide.length > 0) console.error(`${name} at ${width} columns has wider lines:\n${wide.join('\n')}`);
    }
  }
} finally {
  await servers.close();
  rmSync(work, { recursive: true, force: true });
}
