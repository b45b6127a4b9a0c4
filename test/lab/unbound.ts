import { join } from 'node:path';
import { factsFrom, labDomain } from './fact.js';
import { makeJail } from './jail.js';
import { untilListening } from './listening.js';
import { nameServerPort } from './name-server.js';
import { readyOrStopped, stopProcess } from './process.js';

export const resolverPort = 53_531;

/** The expected verdicts with a validating resolver. The first domain is unsigned although it has a trust anchor. */
export const unboundFacts = factsFrom(`
  jane@bogus unknown dns_error
  jane@lame unknown dns_error
  jane@aliascircle unknown dns_error
  jane@circularmx unknown dns_error
  jane@servfail unknown dns_error
  jane@nosuchname invalid no_dns_entries
  jane@textonly invalid no_dns_entries
  jane@nullmx invalid does_not_accept_mail
  jane@aliasedmx valid
  jane@good valid
`);

/** A real Unbound that asks the lab's name server for all of `com`. */
export async function startUnbound(dir: string) {
  const jail = makeJail(join(dir, 'unbound'), {
    packages: ['unbound', 'libunbound8'],
    programs: ['usr/sbin/unbound'],
    users: ['unbound'],
    folders: {},
  });
  jail.write('etc/unbound/unbound.conf', config());
  const child = jail.run('/usr/sbin/unbound', ['-d', '-c', '/etc/unbound/unbound.conf']);
  const stop = () => stopProcess(child);
  await readyOrStopped(untilListening('127.0.0.1', resolverPort, 'Unbound'), stop);
  return { stop };
}

function config(): string {
  return `server:
  interface: 127.0.0.1@${resolverPort}
  do-not-query-localhost: no
  do-daemonize: no
  use-syslog: no
  username: ""
  chroot: ""
  directory: "/"
  pidfile: ""
  module-config: "validator iterator"
  trust-anchor: "${labDomain('bogus')}. DS 12345 13 2 ${'AB'.repeat(32)}"
stub-zone:
  name: com
  stub-addr: 127.0.0.1@${nameServerPort}
remote-control:
  control-enable: no
`;
}
