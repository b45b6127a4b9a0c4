import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

const separator = '~';
let ownIdentity: string | null = null;
let instances = 0;
const retired = new Set<string>();
/** Each job has a new identity, so no store still contains older ones. */
const maxRetired = 10_000;

/** A unique name for one lock holder in this process, safe as a file name. Other processes can test whether it is alive. */
export function newIdentity(): string {
  ownIdentity ??= identityOf(process.pid);
  instances++;
  return `${ownIdentity}${separator}${instances}`;
}

/** A unique name for another process of this machine. */
export function identityOf(pid: number): string {
  return [
    encodeURIComponent(hostname()).replaceAll(separator, '-'),
    readBootId(),
    readPidNamespace(),
    pid,
    readStat(pid).startTime,
    randomBytes(6).toString('hex'),
  ].join(separator);
}

/** Marks an identity of this process as dead. */
export function retireIdentity(identity: string): void {
  retired.add(identity);
  const [oldest] = retired;
  if (retired.size > maxRetired && oldest !== undefined) retired.delete(oldest);
}

export function pidOf(identity: string): number {
  return Number(identity.split(separator)[3]);
}

/** True only if the holder is provably dead. */
export function isGone(identity: string): boolean {
  return livenessOf(identity) === 'gone';
}

/** `alive` and `gone` are proven; a holder on another machine or in another container is `unknown`. */
export function livenessOf(identity: string): 'alive' | 'gone' | 'unknown' {
  if (ownIdentity !== null && identity.startsWith(ownIdentity)) return retired.has(identity) ? 'gone' : 'alive';
  const [host, boot, namespace, pidText, start] = identity.split(separator);
  const [ourHost, ourBoot, ourNamespace] = newIdentity().split(separator);
  const pid = Number(pidText);
  if (host !== ourHost || !Number.isSafeInteger(pid) || pid <= 0) return 'unknown';
  if (boot !== '' && ourBoot !== '' && boot !== ourBoot) return 'gone';
  if (namespace !== ourNamespace) return 'unknown';
  if (retired.has(identity) || !hasProcess(pid)) return 'gone';
  const { state, startTime } = readStat(pid);
  // A zombie has ended, and keeps its pid until its parent reaps it.
  if (state === 'Z') return 'gone';
  // The pid may have been reused; the start time distinguishes the processes.
  if (start === '' || startTime === '') return 'unknown';
  return start === startTime ? 'alive' : 'gone';
}

/** EPERM: the process exists and belongs to another user. */
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

/** Fields 3 and 22 of proc(5) stat, counted from the end of the second, which may hold spaces and brackets. */
function readStat(pid: number): { state: string; startTime: string } {
  const stat = readOrEmpty(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state, startTime: fields[18] ?? '' };
}

function readOrEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
