import { join } from 'node:path';
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
export const opensmtpdFacts = factsFrom(`
  jane@opensmtpd valid
  jane+news@opensmtpd valid alias_address
  jürgen@opensmtpd invalid smtputf8_unsupported
  "john doe"@opensmtpd invalid mailbox_not_found
  nobody@opensmtpd invalid mailbox_not_found
  info@opensmtpd risky role_based
  full@opensmtpd risky mailbox_quota_exceeded
  jane@opensmtpdall risky catch_all
  jane@opensmtpdelsewhere invalid mailbox_not_found
  jane@opensmtpdname unknown sender_rejected
  jane@opensmtpdrdns unknown needs_reverse_dns
  jane@opensmtpdsender unknown sender_rejected
`);

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
  const { plain, refusesNames, wantsReverseNames, refusesSenders } = opensmtpdListeners;
  return `table boxes file:/etc/mail/boxes
table anything { ".*" }
table overfull { "^full@" }
filter "full" phase rcpt-to match rcpt-to regex <overfull> reject "552 Mailbox quota exceeded"
filter "names" phase ehlo match helo regex <anything> reject "550 HELO name not welcome"
filter "reverse" phase connect match rdns disconnect "550 no rDNS is so 80s"
filter "senders" phase mail-from match mail-from regex <anything> reject "550 Sender rejected"
listen on ${plain} filter "full"
listen on ${refusesNames} filter "names"
listen on ${wantsReverseNames} filter "reverse"
listen on ${refusesSenders} filter "senders"
action "deliver" mda "/bin/true" virtual <boxes>
match from any for domain { ${local.map((name) => `"${labDomain(name)}"`).join(', ')} } action "deliver"
`;
}
