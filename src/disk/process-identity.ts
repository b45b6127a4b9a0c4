import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

const separator = '~';
let own: string | null = null;
let instances = 0;
const retired = new Set<string>();

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

/** Lets a name of this process count as dead while the process lives on. */
export function retireIdentity(identity: string): void {
  retired.add(identity);
}

/** The process id in an identity, for people. */
export function pidOf(identity: string): number {
  return Number(identity.split(separator)[3]);
}

/** True only where the holder is provably dead. */
export function isGone(identity: string): boolean {
  return lifeOf(identity) === 'gone';
}

/** `alive` and `gone` are proven; a holder on another machine or in another container is never judged. */
export function lifeOf(identity: string): 'alive' | 'gone' | 'unknown' {
  if (own !== null && identity.startsWith(own)) return retired.has(identity) ? 'gone' : 'alive';
  const [host, boot, namespace, pidText, start] = identity.split(separator);
  const [ourHost, ourBoot, ourNamespace] = newIdentity().split(separator);
  const pid = Number(pidText);
  if (host !== ourHost || !Number.isSafeInteger(pid) || pid <= 0) return 'unknown';
  if (boot !== '' && ourBoot !== '' && boot !== ourBoot) return 'gone';
  if (namespace !== ourNamespace) return 'unknown';
  if (retired.has(identity) || !hasProcess(pid)) return 'gone';
  // The number may have gone to a new process since; its start time tells, where the system does.
  const startNow = readStartTime(pid);
  if (start === '' || startNow === '') return 'unknown';
  return start === startNow ? 'alive' : 'gone';
}

/** A process of another user is one, too: asking for it is refused, not denied. */
function hasProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
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
    return stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(19, 20)
      .join('');
  });
}

function readOrEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
