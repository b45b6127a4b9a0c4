import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { readConfig } from './config.js';
import { factsFrom, labDomain } from './fact.js';
import { type Jail, makeJail } from './jail.js';
import { untilListening } from './listening.js';
import { readyOrStopped, stopProcess } from './process.js';

/** The listeners of two real sendmails: a plain one, and one with the protections that operators switch on. */
export const sendmailListeners = { plain: '127.0.15.1', strict: '127.0.15.2' } as const;

/** Each domain under `vetlab.com`, and the listener that its mail goes to. */
export const sendmailDomains = {
  sendmail: sendmailListeners.plain,
  sendmailall: sendmailListeners.plain,
  sendmailelsewhere: sendmailListeners.plain,
  sendmailstrict: sendmailListeners.strict,
} as const;

/** The expected verdicts. */
export const sendmailFacts = factsFrom('sendmail');

const strictness = `FEATURE(\`delay_checks')
FEATURE(\`greet_pause', \`2000')
define(\`confBAD_RCPT_THROTTLE', \`2')
define(\`confMAX_RCPTS_PER_MESSAGE', \`3')
define(\`confPRIVACY_FLAGS', \`goaway,needmailhelo')`;

/** Two real sendmails. */
export async function startSendmail(dir: string) {
  const plain = start(join(dir, 'sendmail'), sendmailListeners.plain, '');
  const strict = start(join(dir, 'sendmail-strict'), sendmailListeners.strict, strictness);
  const stop = () => Promise.all([plain, strict].map(stopProcess));
  const listening = Object.values(sendmailListeners).map((ip) => untilListening(ip, 25, 'sendmail'));
  await readyOrStopped(Promise.all(listening), stop);
  return { stop };
}

function start(root: string, ip: string, more: string) {
  const jail = makeJail(root, {
    packages: ['sendmail-bin', 'sendmail-cf'],
    programs: ['usr/libexec/sendmail/sendmail', 'usr/libexec/sendmail/makemap'],
    users: ['smmta', 'smmsp'],
    folders: { 'var/spool/mqueue': 'root', 'var/lib/sendmail': 'root' },
  });
  jail.write('etc/mail/aliases', 'postmaster: mail\n');
  const local = Object.keys(sendmailDomains).filter((name) => name !== 'sendmailelsewhere');
  const features = `FEATURE(\`access_db', \`hash -T<TMPF> /etc/mail/access')
FEATURE(\`blocklist_recipients')
FEATURE(\`virtusertable', \`hash /etc/mail/virtusertable')
${more}
LOCAL_DOMAIN(\`${local.map(labDomain).join(' ')}')`;
  const compiled = compileSendmail(jail, ip, 'mx.sendmail.vetlab.com', features);
  // sendmail relays for 127.0.0.1 and for localhost, which is where the lab's probes come from.
  const withoutRelaying = compiled.replace(/^R(127\.0\.0\.1|\$=w|<\?> \$=w)\s+\$@ RELAY.*\n/gm, '');
  jail.write('etc/mail/sendmail.cf', withoutRelaying);
  makeMap(jail, 'virtusertable', virtualUsers());
  makeMap(jail, 'access', access);
  return jail.run('/usr/libexec/sendmail/sendmail', ['-bD', '-C', '/etc/mail/sendmail.cf']);
}

const access = `From:sender.vetlab.com\tOK
To:full@sendmail.vetlab.com\tERROR:5.2.2:552 Mailbox full
To:former@sendmail.vetlab.com\tREJECT
To:closed@sendmail.vetlab.com\tERROR:5.2.1:550 Account closed
To:later@sendmail.vetlab.com\tERROR:4.2.1:450 Mailbox is being moved
`;

function virtualUsers(): string {
  const users = Object.keys(sendmailDomains).flatMap((name) => [`jane@${name}`, `info@${name}`]);
  const rows = [...users, 'full@sendmail', 'former@sendmail', '@sendmailall'].map((box) => `${labDomain(box)}\tmail\n`);
  return [...rows, 'gone@sendmail.vetlab.com\terror:nouser 550 No such user here\n'].join('');
}

/** The configuration of a sendmail that listens on an address, with these features. */
export function compileSendmail(jail: Jail, ip: string, name: string, features: string): string {
  const cf = join(jail.root, 'usr/share/sendmail/cf/');
  const source = readConfig('sendmail.mc', { cf, name, ip, features });
  return execFileSync('m4', [`-D_CF_DIR_=${cf}`, '-'], {
    input: source,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'ignore'],
  });
}

function makeMap(jail: Jail, name: string, rows: string): void {
  const args = [jail.root, '/usr/libexec/sendmail/makemap', '-v', 'hash', `/etc/mail/${name}`];
  execFileSync('chroot', args, { input: rows, stdio: ['pipe', 'ignore', 'inherit'] });
}
