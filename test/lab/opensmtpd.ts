import { join } from 'node:path';
import { readConfig } from './config.js';
import { factsFrom, labDomain } from './fact.js';
import { makeJail } from './jail.js';
import { untilListening } from './listening.js';
import { readyOrStopped, stopProcess } from './process.js';

/** The listeners of the one real OpenSMTPD. */
export const opensmtpdListeners = {
  plain: '127.0.14.1',
  refusesNames: '127.0.14.2',
  wantsReverseNames: '127.0.14.3',
  refusesSenders: '127.0.14.5',
} as const;

/** Each domain under `vetlab.com`, and the listener that its mail goes to. */
export const opensmtpdDomains = {
  opensmtpd: opensmtpdListeners.plain,
  opensmtpdall: opensmtpdListeners.plain,
  opensmtpdelsewhere: opensmtpdListeners.plain,
  opensmtpdname: opensmtpdListeners.refusesNames,
  opensmtpdrdns: opensmtpdListeners.wantsReverseNames,
  opensmtpdsender: opensmtpdListeners.refusesSenders,
} as const;

/** The expected verdicts. */
export const opensmtpdFacts = factsFrom('OpenSMTPD');

/** A real OpenSMTPD. */
export async function startOpensmtpd(dir: string) {
  const jail = makeJail(join(dir, 'opensmtpd'), {
    packages: ['opensmtpd'],
    programs: ['usr/sbin/smtpd'],
    users: ['opensmtpd', 'opensmtpq'],
    folders: { 'var/lib/opensmtpd/empty': 'root', 'var/spool': 'root', 'etc/mail': 'root', 'var/run': 'root' },
  });
  jail.write('etc/mail/boxes', mailboxTable());
  jail.write('etc/smtpd.conf', config());
  const child = jail.run('/usr/sbin/smtpd', ['-d']);
  const stop = () => stopProcess(child);
  await readyOrStopped(
    Promise.all(Object.values(opensmtpdListeners).map((ip) => untilListening(ip, 25, 'OpenSMTPD'))),
    stop,
  );
  return { stop };
}

function mailboxTable(): string {
  const users = Object.keys(opensmtpdDomains).flatMap((name) => [`jane@${name}`, `info@${name}`, `full@${name}`]);
  return [...users, '@opensmtpdall'].map((box) => `${labDomain(box)} mail\n`).join('');
}

function config(): string {
  const local = Object.keys(opensmtpdDomains).filter((name) => name !== 'opensmtpdelsewhere');
  const domains = local.map((name) => `"${labDomain(name)}"`).join(', ');
  return readConfig('opensmtpd.conf', { ...opensmtpdListeners, domains });
}
