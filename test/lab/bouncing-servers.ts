import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from './config.js';
import { makeJail } from './jail.js';
import { untilListening } from './listening.js';
import { idOf } from './postfix.js';
import { readyOrStopped, stopProcess } from './process.js';
import { compileSendmail } from './sendmail.js';

/** Real servers that relay mail, each with its own form of delivery report. */
export const relays = {
  postfix: '127.0.16.2',
  exim: '127.0.16.3',
  opensmtpd: '127.0.16.4',
  sendmail: '127.0.16.5',
} as const;

interface Server {
  stop(): Promise<void>;
}

/** Starts the relays. All mail, reports included, goes to `nextHop`. */
export async function startRelays(dir: string, nextHop: string): Promise<Server> {
  const servers = [
    startPostfixRelay(join(dir, 'postfix'), nextHop),
    startEximRelay(join(dir, 'exim'), nextHop),
    startOpensmtpdRelay(join(dir, 'opensmtpd'), nextHop),
    startSendmailRelay(join(dir, 'sendmail'), nextHop),
  ];
  const stop = async (): Promise<void> => {
    for (const server of servers) await server.stop();
  };
  await readyOrStopped(Promise.all(Object.entries(relays).map(([name, ip]) => untilListening(ip, 25, name))), stop);
  return { stop };
}

export function startPostfixRelay(config: string, nextHop: string): Server {
  for (const folder of ['', 'queue', 'data']) mkdirSync(join(config, folder), { recursive: true });
  const [uid, gid] = idOf('postfix');
  chownSync(join(config, 'data'), uid, gid);
  for (const folder of [join(config, '..'), config]) chmodSync(folder, 0o755);
  for (const file of ['main.cf', 'master.cf']) {
    const text = readConfig(`postfix-relay-${file}`, { config, nextHop, ip: relays.postfix });
    writeFileSync(join(config, file), text);
  }
  const child = spawn('/usr/sbin/postfix', ['-c', config, 'start-fg'], { stdio: 'ignore' });
  return {
    stop: async () => {
      spawnSync('/usr/sbin/postfix', ['-c', config, 'stop'], { stdio: 'ignore' });
      await stopProcess(child);
    },
  };
}

export function startEximRelay(root: string, nextHop: string): Server {
  const owner = 'Debian-exim';
  const jail = makeJail(root, {
    packages: ['exim4-daemon-light'],
    programs: ['usr/sbin/exim4'],
    users: [owner],
    folders: { 'var/spool/exim4': owner, 'var/log/exim4': owner, 'run/exim4': owner },
  });
  jail.write('etc/exim4/exim4.conf', readConfig('exim-relay.conf', { nextHop, ip: relays.exim }));
  const child = jail.run('/usr/sbin/exim4', ['-bdf', '-C', '/etc/exim4/exim4.conf']);
  return { stop: () => stopProcess(child) };
}

function startOpensmtpdRelay(root: string, nextHop: string): Server {
  const jail = makeJail(root, {
    packages: ['opensmtpd'],
    programs: ['usr/sbin/smtpd'],
    users: ['opensmtpd', 'opensmtpq'],
    folders: { 'var/lib/opensmtpd/empty': 'root', 'var/spool': 'root', 'etc/mail': 'root', 'var/run': 'root' },
  });
  jail.write('etc/mail/mailname', 'opensmtpd.vetlab.com\n');
  jail.write(
    'etc/smtpd.conf',
    `listen on ${relays.opensmtpd}
action "out" relay host smtp://${nextHop}:25 helo opensmtpd.vetlab.com
match from any for any action "out"
`,
  );
  const child = jail.run('/usr/sbin/smtpd', ['-d']);
  return { stop: () => stopProcess(child) };
}

function startSendmailRelay(root: string, nextHop: string): Server {
  const jail = makeJail(root, {
    packages: ['sendmail-bin', 'sendmail-cf'],
    programs: ['usr/libexec/sendmail/sendmail'],
    users: ['smmta', 'smmsp'],
    folders: { 'var/spool/mqueue': 'root', 'var/lib/sendmail': 'root' },
  });
  jail.write('etc/mail/aliases', 'postmaster: mail\n');
  const features = `FEATURE(\`accept_unresolvable_domains')
FEATURE(\`accept_unqualified_senders')
FEATURE(\`promiscuous_relay')
define(\`SMART_HOST', \`esmtp:[${nextHop}]')
define(\`confDELIVERY_MODE', \`background')`;
  jail.write('etc/mail/sendmail.cf', compileSendmail(jail, relays.sendmail, 'sendmail.vetlab.com', features));
  const child = jail.run('/usr/libexec/sendmail/sendmail', ['-bD', '-C', '/etc/mail/sendmail.cf', '-q5s']);
  return { stop: () => stopProcess(child) };
}
