import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from './config.js';
import { untilListening } from './listening.js';
import { readyOrStopped, stopProcess } from './process.js';

const postgreyPort = 10_023;

/** The sender that the lab's probes use. */
export const labSender = 'probe@sender.vetlab.com';

/** The listeners of the one real Postfix, each with its own configuration. */
export const listeners = {
  plain: '127.0.10.1',
  greylisting: '127.0.10.2',
  tlsOnly: '127.0.10.3',
  blocklisting: '127.0.10.4',
  picksSenders: '127.0.10.5',
  refusesSenders: '127.0.10.6',
  noPipelining: '127.0.10.7',
  postscreen: '127.0.10.9',
  fewErrors: '127.0.10.10',
  oneRecipient: '127.0.10.11',
  oneConnection: '127.0.10.12',
  slowToErr: '127.0.10.13',
  softBounce: '127.0.10.14',
  acceptsUnlisted: '127.0.10.15',
} as const;

const overrides: Record<keyof typeof listeners, string[]> = {
  plain: [],
  greylisting: [
    `smtpd_recipient_restrictions=check_policy_service,inet:127.0.0.1:${postgreyPort},permit_auth_destination,reject`,
  ],
  tlsOnly: ['smtpd_tls_security_level=encrypt'],
  blocklisting: ['smtpd_client_restrictions=check_client_access,texthash:$config_directory/blocked'],
  picksSenders: ['smtpd_sender_restrictions=check_sender_access,texthash:$config_directory/senders'],
  refusesSenders: ['smtpd_sender_restrictions=check_sender_access,texthash:$config_directory/all-senders'],
  noPipelining: ['smtpd_discard_ehlo_keywords=pipelining,chunking'],
  postscreen: [],
  fewErrors: ['smtpd_hard_error_limit=2'],
  oneRecipient: ['smtpd_recipient_limit=1'],
  oneConnection: ['smtpd_client_connection_count_limit=1'],
  slowToErr: ['smtpd_soft_error_limit=1', 'smtpd_error_sleep_time=1s'],
  softBounce: ['soft_bounce=yes'],
  acceptsUnlisted: ['smtpd_reject_unlisted_recipient=no'],
};

/** A real Postfix for the given mailboxes (`@domain` accepts all), with postgrey behind one of its listeners. */
export async function startPostfix(
  dir: string,
  domains: string[],
  mailboxes: string[],
  replies: Record<string, string>,
) {
  const config = join(dir, 'postfix');
  for (const folder of ['', 'queue', 'data', 'postgrey']) mkdirSync(join(config, folder), { recursive: true });
  const [uid, gid] = idOf('postfix');
  chownSync(join(config, 'data'), uid, gid);
  // Postfix drops its privileges before it reads its maps.
  for (const folder of [dir, config]) chmodSync(folder, 0o755);
  makeCertificate(config);
  writeFileSync(join(config, 'mailboxes'), mailboxes.map((box) => `${box} x\n`).join(''));
  writeFileSync(
    join(config, 'replies'),
    Object.entries(replies)
      .map(([box, reply]) => `${box} ${reply}\n`)
      .join(''),
  );
  writeFileSync(
    join(config, 'blocked'),
    '127.0.0.1 554 5.7.1 Service unavailable; Client host [127.0.0.1] blocked using zen.spamhaus.org\n',
  );
  writeFileSync(join(config, 'senders'), `${labSender} 550 5.7.1 We do not know you\n`);
  writeFileSync(
    join(config, 'all-senders'),
    `${labSender} 550 5.7.1 We do not know you\n<> 550 5.7.1 Bounces are not welcome\n`,
  );
  writeFileSync(join(config, 'main.cf'), readConfig('postfix-main.cf', { config, domains: domains.join(', ') }));
  writeFileSync(join(config, 'master.cf'), masterCf());

  const postgrey = spawn(
    '/usr/sbin/postgrey',
    [`--inet=127.0.0.1:${postgreyPort}`, `--dbdir=${config}/postgrey`, '--delay=5', '--user=root', '--group=root'],
    { stdio: 'ignore' },
  );
  const postfix = spawn('/usr/sbin/postfix', ['-c', config, 'start-fg'], { stdio: 'ignore', detached: false });
  const log = () => tryRead(join(config, 'data', 'mail.log'));
  const stop = async () => {
    // Its status is an error if Postfix is not running.
    spawnSync('/usr/sbin/postfix', ['-c', config, 'stop'], { stdio: 'ignore' });
    await stopProcess(postfix);
    await stopProcess(postgrey);
  };
  const listening = Promise.all([
    untilListening('127.0.0.1', postgreyPort, 'postgrey'),
    ...Object.values(listeners).map((ip) => untilListening(ip, 25, 'Postfix')),
  ]).catch((error) => {
    throw new Error(`${error}\n${log()}`);
  });
  await readyOrStopped(listening, stop);
  return { log, stop };
}

function masterCf(): string {
  const smtpd = Object.entries(listeners).map(([name, ip]) => {
    const options = overrides[name as keyof typeof listeners].map((option) => ` -o ${option}`).join('');
    return name === 'postscreen' ? `${ip}:25 inet n - n - 1 postscreen` : `${ip}:25 inet n - n - - smtpd${options}`;
  });
  return readConfig('postfix-master.cf', { listeners: smtpd.join('\n') });
}

function makeCertificate(config: string): void {
  const files = ['-keyout', join(config, 'key.pem'), '-out', join(config, 'cert.pem')];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=mx.vetlab.com', ...files],
    { stdio: 'ignore' },
  );
}

/** The user and group ids of an account. */
export function idOf(user: string): [number, number] {
  const fields =
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((line) => line.startsWith(`${user}:`))
      ?.split(':') ?? [];
  return [Number(fields[2]), Number(fields[3])];
}

function tryRead(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '(no log)';
  }
}
