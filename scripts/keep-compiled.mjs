// Keeps what V8 makes of the program, beside it, for a Node that does not do so by itself (20): bin/mailvet.js takes it where V8 and the
// processor are the same. Only the functions that a list needs are kept, since every other one would cost each start a little; which
// they are is found out by a list, vetted on fake mail hosts of this machine. Where that fails, all of them are kept.
import { execFile, fork } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

/** `files` are those that bin/mailvet.js loads. */
export async function keepCompiled(files) {
  try {
    await keepWhatRuns();
  } catch {
    for (const file of files) writeFileSync(`${file}.${process.arch}-${process.versions.v8}`, allOf(file));
  }
}

async function keepWhatRuns() {
  const folder = mkdtempSync(join(tmpdir(), 'mailvet-build-'));
  const port = randomInt(20_000, 60_000);
  const task = { hosts: 2, port, dnsIp: '127.0.0.1', dnsPort: port, rttMs: 1 };
  const hosts = fork('bench/smtp-server.mjs', [JSON.stringify(task)], { stdio: 'ignore' });
  try {
    const [said] = await Promise.race([once(hosts, 'message'), once(hosts, 'exit')]);
    if (said !== 'ready') throw new Error('The fake mail hosts did not start.');
    const list = join(folder, 'list.txt');
    const names = Array.from(
      { length: 60 },
      (_, at) => `${at % 3 === 0 ? 'bad' : 'good'}${at}@d${at % 2}.vetbench.com\n`,
    );
    writeFileSync(list, names.join(''));
    const asked = ['--resolver', `127.0.0.1:${port}`, '--smtp-port', `${port}`, '--allow-network', '127.0.0.0/8'];
    const args = ['bin/mailvet.js', 'bulk', list, '--format', 'ndjson', '--greylist-wait', '0', ...asked];
    const env = { PATH: process.env.PATH, MAILVET_HOME: folder, MAILVET_CONFIG_DIR: folder };
    const run = await promisify(execFile)(process.execPath, ['--require', './scripts/keep-used.cjs', ...args], {
      ...{ env, timeout: 30_000 },
    });
    if (!/"status":"valid"/.test(run.stdout)) throw new Error('The list was not vetted.');
  } finally {
    hosts.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

function allOf(file) {
  const source = `(function (module, require, __dirname) {${readFileSync(file, 'latin1')}})`;
  setFlagsFromString('--no-lazy');
  const script = new Script(source, { filename: resolve(file) });
  // What is kept is refused by whoever has other flags: this is the one that it is taken with.
  setFlagsFromString('--lazy');
  setFlagsFromString('--verify-snapshot-checksum');
  return script.createCachedData();
}
