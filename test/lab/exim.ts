import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { factsFrom, labDomain } from './fact.js';
import { makeJail } from './jail.js';
import { untilListening } from './listening.js';
import { readyOrStopped, stopProcess } from './process.js';

/** The listeners of the one real Exim, for decisions before RCPT. */
export const eximListeners = {
  plain: '127.0.13.1',
  noPipelining: '127.0.13.2',
  slow: '127.0.13.3',
  refusesNames: '127.0.13.4',
  blocklisting: '127.0.13.5',
  tlsOnly: '127.0.13.6',
} as const;

/** The listener of each domain under `vetlab.com`. `config` defines how Exim treats its recipients. */
export const eximDomains = {
  exim: eximListeners.plain,
  eximenhanced: eximListeners.plain,
  eximall: eximListeners.plain,
  eximgrey: eximListeners.plain,
  eximsender: eximListeners.plain,
  eximnobounce: eximListeners.plain,
  eximcallout: eximListeners.plain,
  eximcalloutdead: eximListeners.plain,
  eximdrop: eximListeners.plain,
  eximrate: eximListeners.plain,
  eximfew: eximListeners.plain,
  eximelsewhere: eximListeners.plain,
  eximcountry: eximListeners.plain,
  eximautomatic: eximListeners.plain,
  eximwords: eximListeners.plain,
  eximcase: eximListeners.plain,
  eximsoft: eximListeners.plain,
  eximplain: eximListeners.noPipelining,
  eximslow: eximListeners.slow,
  eximname: eximListeners.refusesNames,
  eximblocked: eximListeners.blocklisting,
  eximtls: eximListeners.tlsOnly,
} as const;

/** The expected verdicts. */
export const eximFacts = factsFrom(`
  jane@exim valid
  jane+news@exim valid alias_address
  jürgen@exim valid
  "john doe"@exim valid
  o'neil@exim valid
  nobody@exim invalid mailbox_not_found
  info@exim risky role_based
  admin@exim invalid mailbox_not_found
  full@exim risky mailbox_quota_exceeded
  former@exim invalid mailbox_disabled
  moved@exim invalid mailbox_not_found
  jane@eximenhanced valid
  nobody@eximenhanced invalid mailbox_not_found
  jane@eximall risky catch_all
  info@eximall risky role_based_catch_all
  jane@eximgrey unknown greylisted
  jane@eximsender valid
  jane@eximnobounce valid
  jane@eximcallout valid
  nobody@eximcallout invalid mailbox_not_found
  jane@eximcalloutdead unknown mail_server_temporary_error
  jane@eximrate unknown rate_limited
  jane@eximfew valid
  nobody@eximfew invalid mailbox_not_found
  jane@eximelsewhere unknown antispam_system
  jane@eximcountry unknown antispam_system
  nobody@eximcountry unknown antispam_system
  jane@eximautomatic unknown antispam_system
  nobody@eximautomatic unknown antispam_system
  jane@eximwords risky catch_all
  ghost@eximwords risky catch_all
  jane7@eximwords invalid mailbox_not_found
  Frank@eximcase valid
  jane@eximsoft valid
  nobody@eximsoft unknown mail_server_temporary_error
  ghost1@eximdrop invalid mailbox_not_found
  ghost2@eximdrop invalid mailbox_not_found
  ghost3@eximdrop invalid mailbox_not_found
  ghost4@eximdrop invalid mailbox_not_found
  ghost5@eximdrop invalid mailbox_not_found
  jane@eximdrop valid
  info@eximdrop risky role_based
  jane@eximplain valid
  nobody@eximplain invalid mailbox_not_found
  jane@eximslow valid
  nobody@eximslow invalid mailbox_not_found
  jane@eximname unknown sender_rejected
  jane@eximblocked unknown antispam_system
  jane@eximtls valid
  nobody@eximtls invalid mailbox_not_found
`);

/** A real Exim 4. `backend` is the host that its call-forward asks. */
export async function startExim(dir: string, backend: string) {
  const jail = makeJail(join(dir, 'exim'), {
    packages: ['exim4-daemon-light'],
    programs: ['usr/sbin/exim4'],
    users: ['Debian-exim'],
    folders: { 'var/spool/exim4': 'Debian-exim', 'var/log/exim4': 'Debian-exim', 'run/exim4': 'Debian-exim' },
  });
  jail.certify('etc/exim4');
  chmodSync(join(jail.root, 'etc/exim4/key.pem'), 0o644);
  jail.write('etc/exim4/exim4.conf', config(backend));
  const child = jail.run('/usr/sbin/exim4', ['-bdf', '-C', '/etc/exim4/exim4.conf']);
  const stop = () => stopProcess(child);
  await readyOrStopped(Promise.all(Object.values(eximListeners).map((ip) => untilListening(ip, 25, 'Exim'))), stop);
  return { stop };
}

const atListener = (name: keyof typeof eximListeners) => `eq{$received_ip_address}{${eximListeners[name]}}`;

function config(backend: string): string {
  const local = Object.keys(eximDomains).filter((name) => name !== 'eximelsewhere');
  return `primary_hostname = mx.exim.vetlab.com
daemon_smtp_ports = 25
local_interfaces = <, ${Object.values(eximListeners).join(', ')}
keep_environment =
host_lookup =
rfc1413_hosts =
tls_certificate = /etc/exim4/cert.pem
tls_privatekey = /etc/exim4/key.pem
tls_advertise_hosts = \${if ${atListener('tlsOnly')}{*}}
pipelining_advertise_hosts = \${if ${atListener('noPipelining')}{}{*}}
smtputf8_advertise_hosts = *
smtp_accept_max_per_host = 100
recipients_max = 0
domainlist ours = ${local.map(labDomain).join(' : ')}
acl_smtp_connect = connect
acl_smtp_helo = helo
acl_smtp_rcpt = rcpt

begin acl
connect:
  drop    condition = \${if ${atListener('blocklisting')}}
          message = rejected because $sender_host_address is in a black list at zen.spamhaus.org
  accept  condition = \${if ${atListener('slow')}}
          delay = 6s
  accept

helo:
  deny    condition = \${if ${atListener('refusesNames')}}
          message = Access denied - Invalid HELO name (See RFC2821 4.1.1.1)
  accept

# As in Exim's configure.default, postmaster is accepted before any rule about the client.
rcpt:
  accept  local_parts = postmaster
          domains = ${labDomain('eximcountry')} : ${labDomain('eximautomatic')}
  deny    domains = ${labDomain('eximcountry')}
          message = Connections from your country are not allowed
  deny    domains = ${labDomain('eximautomatic')}
          message = Automatically-generated messages are not accepted
  # Any word of letters is accepted.
  accept  domains = ${labDomain('eximwords')}
          local_parts = \\N^[a-z]+$\\N
  deny    domains = ${labDomain('eximwords')}
          message = Unknown user
  deny    domains = ${labDomain('eximcase')}
          control = caseful_local_part
          !condition = \${if eq{$local_part}{Frank}}
          message = Unknown user
  accept  domains = ${labDomain('eximcase')}
  accept  domains = ${labDomain('eximsoft')}
          local_parts = jane
  defer   domains = ${labDomain('eximsoft')}
          message = 450 4.1.1 User unknown
  deny    domains = ${labDomain('eximtls')}
          !encrypted = *
          message = encryption required
  require verify = sender
  deny    domains = ${labDomain('eximsender')}
          !verify = sender/callout=2s
  deny    domains = ${labDomain('eximnobounce')}
          senders = :
          message = Empty envelope senders not allowed
  deny    !domains = +ours
          message = relay not permitted
  defer   domains = ${labDomain('eximgrey')}
          message = $sender_host_address is not yet authorized to deliver mail from <$sender_address> to <$local_part@$domain>. Please try later.
  defer   domains = ${labDomain('eximrate')}
          ratelimit = 1 / 1h / per_rcpt / strict
          message = Sender rate exceeds $sender_rate_limit messages per $sender_rate_period
  drop    domains = ${labDomain('eximdrop')}
          condition = \${if > {$rcpt_fail_count}{2}}
          message = Too many failed recipients - count = $rcpt_fail_count
  defer   domains = ${labDomain('eximfew')}
          condition = \${if > {$rcpt_count}{1}}
          message = 452 too many recipients
  deny    local_parts = full
          message = 552 Mailbox quota exceeded
  deny    local_parts = former
          message = This account has been suspended
  require verify = recipient/callout=2s,no_cache
  deny    domains = ${labDomain('eximenhanced')}
          !verify = recipient
          message = 550 5.1.1 <$local_part@$domain>: No Such User Here
  accept

begin routers
senders:
  driver = accept
  domains = ${labDomain('sender')}
  transport = void
callout:
  driver = manualroute
  domains = ${labDomain('eximcallout')}
  route_list = * ${backend} byname
  transport = out
calloutdead:
  driver = manualroute
  domains = ${labDomain('eximcalloutdead')}
  route_list = * 127.0.12.1 byname
  transport = out
moved:
  driver = redirect
  domains = +ours
  local_parts = moved
  allow_fail
  data = :fail: This person has left, write to jane@other.vetlab.com
all:
  driver = accept
  domains = ${labDomain('eximall')}
  transport = void
users:
  driver = accept
  domains = +ours
  local_parts = jane : info : jürgen : john doe : o'neil
  local_part_suffix = +*
  local_part_suffix_optional
  transport = void

begin transports
void:
  driver = appendfile
  file = /dev/null
  user = mail
out:
  driver = smtp
  port = 25
  hosts_try_fastopen =
`;
}
