import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from './config.js';
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
export const eximFacts = factsFrom('Exim');

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

function config(backend: string): string {
  const local = Object.keys(eximDomains).filter((name) => name !== 'eximelsewhere');
  const listeners = Object.values(eximListeners).join(', ');
  return readConfig('exim.conf', { ...eximListeners, listeners, domains: local.map(labDomain).join(' : '), backend });
}
