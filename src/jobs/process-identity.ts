import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

const separator = '~';
let own: string | null = null;
let instances = 0;

/** A name for one holder in this process that others can test for life; safe as a file name, unique for each call. */
export function newIdentity(): string {
  own ??= [
    encodeURIComponent(hostname()).replaceAll(separator, '-'),
    readBootId(),
    readPidNamespace(),
    process.pid,
    readStartTime('self'),
    randomBytes(6).toString('hex'),
  ].join(separator);
  instances++;
  return `${own}${separator}${instances}`;
}

/** The process id in an identity, for people. */
export function pidOf(identity: string): number {
  return Number(identity.split(separator)[3] ?? Number.NaN);
}

/** True only where the holder is provably dead; a holder on another machine or in another container is never judged. */
export function isGone(identity: string): boolean {
  const [host, boot, namespace, pidText, start] = identity.split(separator);
  const [ourHost, ourBoot, ourNamespace] = newIdentity().split(separator);
  const pid = Number(pidText);
  if (host !== ourHost || !Number.isSafeInteger(pid) || pid <= 0) return false;
  if (boot !== '' && ourBoot !== '' && boot !== ourBoot) return true;
  if (namespace !== ourNamespace) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
  // The number may have gone to a new process since; its start time tells.
  const startNow = readStartTime(pid);
  return start !== '' && startNow !== '' && start !== startNow;
}

function readBootId(): string {
  return readOrEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
}

function readPidNamespace(): string {
  return readOrEmpty(() => readlinkSync('/proc/self/ns/pid').replace(/\D/g, ''));
}

/** Field 22 of proc(5) stat; the second field may hold spaces and brackets, so count from its end. */
function readStartTime(pid: number | 'self'): string {
  return readOrEmpty(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  });
}

function readOrEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
