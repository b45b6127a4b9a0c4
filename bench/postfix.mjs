// A real Postfix for bench/smtp: stock settings, STARTTLS, one listener on port 25 for each mail host, in its own folder.
// in_flow_delay is off: it delays each transaction after the first hundred by a second and would favor the first contender.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const program = '/usr/sbin/postfix';

/** Starts Postfix on the addresses, with the mailboxes `good…` of `dN.vetbench.com`. It ends with this process. */
export async function startPostfix(parent, addresses) {
  if (!existsSync(program)) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    spawnSync('apt-get', ['-q', 'install', '-y', '--no-install-recommends', 'postfix', 'openssl'], { env });
    if (!existsSync(program)) throw new Error('Install Postfix as root: apt-get install postfix openssl');
  }
  const folder = join(parent, 'postfix');
  for (const part of ['', 'queue', 'data']) mkdirSync(join(folder, part), { recursive: true });
  const [uid, gid] = /^postfix:[^:]*:(\d+):(\d+)/m.exec(readFileSync('/etc/passwd', 'utf8')).slice(1).map(Number);
  chownSync(join(folder, 'data'), uid, gid);
  for (const part of [parent, folder]) chmodSync(part, 0o755);
  const certificate = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')];
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=mx.vetbench.com'];
  execFileSync('openssl', [...request, ...certificate], { stdio: 'ignore' });
  writeFileSync(join(folder, 'domains'), '/^d[0-9]+\\.vetbench\\.com$/ x\n');
  writeFileSync(join(folder, 'mailboxes'), '/^good/ x\n');
  writeFileSync(join(folder, 'main.cf'), mainCf(folder));
  writeFileSync(join(folder, 'master.cf'), masterCf(addresses));
  spawn(program, ['-c', folder, 'start-fg'], { stdio: 'ignore' });
  process.prependListener('exit', () => spawnSync(program, ['-c', folder, 'stop'], { stdio: 'ignore' }));
  for (const address of addresses) await waitUntilListening(address);
}

const mainCf = (folder) => `compatibility_level = 3.6
queue_directory = ${folder}/queue
data_directory = ${folder}/data
maillog_file = ${folder}/data/mail.log
maillog_file_prefixes = ${folder}
myhostname = mx.vetbench.com
mydestination =
mynetworks =
inet_protocols = ipv4
local_recipient_maps =
alias_maps =
virtual_mailbox_domains = regexp:${folder}/domains
virtual_mailbox_maps = regexp:${folder}/mailboxes
virtual_transport = discard:
smtpd_recipient_restrictions = reject_unauth_destination
smtpd_peername_lookup = no
in_flow_delay = 0
smtpd_tls_security_level = may
smtpd_tls_cert_file = ${folder}/cert.pem
smtpd_tls_key_file = ${folder}/key.pem
`;

function masterCf(addresses) {
  const services = ['pickup n - n 60 1', 'cleanup n - n - 0', 'qmgr n - n 300 1', 'tlsmgr - - n 1000? 1'];
  services.push('bounce - - n - 0', 'error - - n - -', 'discard - - n - -', 'anvil - - n - 1');
  return [
    ...addresses.map((address) => `${address}:25 inet n - n - - smtpd`),
    ...services.map((line) => `${line.replace(' ', ' unix ')} ${line.split(' ')[0]}`),
    'rewrite unix - - n - - trivial-rewrite',
    'defer unix - - n - 0 bounce',
    'postlog unix-dgram n - n - 1 postlogd\n',
  ].join('\n');
}

async function waitUntilListening(host) {
  for (let attempt = 0; attempt < 200; attempt++) {
    const socket = connect({ host, port: 25 });
    const isOpen = await new Promise((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    await sleep(50);
  }
  throw new Error(`Postfix does not listen on ${host}.`);
}
