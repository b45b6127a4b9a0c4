// Peak memory of `bulk` over five million distinct lines. Run `npm run build` first.
import { spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { report } from './measure.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const lines = 5_000_000;
const limitMegabytes = 150;

const dir = mkdtempSync(join(tmpdir(), 'mailvet-bench-'));
try {
  const list = join(dir, 'list.txt');
  await writeList(list);
  const words = ['bulk', list, '--level', 'syntax', '-o', join(dir, 'out.csv'), '--format', 'csv', '--quiet'];
  const peak = await peakMegabytes([join(root, 'bin/mailvet.js'), ...words]);
  report({
    bench: 'bulk',
    what: `peak resident memory over ${lines.toLocaleString('en-US')} distinct lines`,
    ...{ ours: peak, peer: limitMegabytes, peerName: 'limit', unit: 'MB', ratio: peak / limitMegabytes, goal: '<= 1' },
  });
} finally {
  rmSync(dir, { recursive: true, force: true });
}

async function writeList(path) {
  const file = createWriteStream(path);
  let text = '';
  for (let index = 0; index < lines; index++) {
    text += `firstname.lastname${index}@example${index % 5000}.com\n`;
    if (text.length < 1 << 20 && index < lines - 1) continue;
    if (!file.write(text)) await new Promise((resolve) => file.once('drain', resolve));
    text = '';
  }
  await new Promise((resolve, reject) => file.end((error) => (error ? reject(error) : resolve())));
}

/** The peak resident memory of a process, from /proc. */
async function peakMegabytes(args) {
  const home = join(dir, 'home');
  const env = { ...process.env, MAILVET_HOME: home, MAILVET_CONFIG_DIR: home };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const status = `/proc/${child.pid}/status`;
  let peak = 0;
  const sample = () => {
    const kilobytes = existsSync(status) && /VmHWM:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1];
    if (kilobytes) peak = Math.max(peak, Number(kilobytes) / 1024);
  };
  const sampler = setInterval(sample, 20);
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('exit', resolve));
  clearInterval(sampler);
  if (code !== 0 || peak === 0) throw new Error(`${args.join(' ')} ended with ${code}, or there is no /proc`);
  return peak;
}
