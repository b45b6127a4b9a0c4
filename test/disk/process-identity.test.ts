import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openFileLock } from '../../src/disk/file-lock.js';
import { isGone, livenessOf, newIdentity, pidOf, retireIdentity } from '../../src/disk/process-identity.js';

const folder = mkdtempSync(join(tmpdir(), 'mailvet-identity-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const statOf = (pid: number): string[] => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];

/** A process, and the parent that never reaps it: `exec` replaces the shell that started it. */
async function startUnreaped(): Promise<{ identity: string; close(): void }> {
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output] = await once(parent.stdout, 'data');
  const pid = Number(output);
  await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n');
  const [host, boot, namespace] = newIdentity().split('~');
  const identity = [host, boot, namespace, pid, statOf(pid)[19], 'abcdef', 1].join('~');
  return { identity, close: () => void parent.kill('SIGKILL') };
}

test.runIf(process.platform === 'linux')('a zombie is not alive, and its lock is free', async () => {
  const { identity, close } = await startUnreaped();
  try {
    const path = join(folder, 'lock');
    mkdirSync(path);
    writeFileSync(join(path, identity), '');
    const lock = openFileLock(path);
    expect(livenessOf(identity)).toBe('alive');
    expect(lock.tryAcquire()).toBe(false);
    process.kill(pidOf(identity), 'SIGKILL');
    await expect.poll(() => statOf(pidOf(identity))[0]).toBe('Z');
    expect(livenessOf(identity)).toBe('gone');
    expect(lock.tryAcquire()).toBe(true);
    lock.close();
  } finally {
    close();
  }
});

test.each([
  ['this process', false, {}],
  ['a process that does not exist', true, { 3: '4194305' }],
  ['a process id that a new process has', process.platform === 'linux', { 4: '1' }],
  ['a process of another machine', false, { 0: 'elsewhere', 3: '4194305' }],
  ['a process before the last start of the machine', process.platform === 'linux', { 1: 'earlier' }],
  ['a process of another container', process.platform !== 'linux', { 2: '1', 3: '4194305' }],
  ['a process without a start time', false, { 4: '' }],
  ['nonsense', false, { 3: 'x' }],
])('%s is gone: %s', (_name, gone, change) => {
  const parts = newIdentity().split('~');
  expect(isGone(Object.assign(parts, change).join('~'))).toBe(gone);
});

test('a retired identity counts as dead while its process is alive', () => {
  const name = newIdentity();
  expect(livenessOf(name)).not.toBe('gone');
  retireIdentity(name);
  expect(livenessOf(name)).toBe('gone');
});
