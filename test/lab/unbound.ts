import { join } from 'node:path';
import { readConfig } from './config.js';
import { factsFrom } from './fact.js';
import { makeJail } from './jail.js';
import { untilListening } from './listening.js';
import { nameServerPort } from './name-server.js';
import { readyOrStopped, stopProcess } from './process.js';

export const resolverPort = 53_531;

/** The expected verdicts with a validating resolver. The first domain is unsigned although it has a trust anchor. */
export const unboundFacts = factsFrom('Unbound');

/** A real Unbound that asks the lab's name server for all of `com`. */
export async function startUnbound(dir: string) {
  const jail = makeJail(join(dir, 'unbound'), {
    packages: ['unbound', 'libunbound8'],
    programs: ['usr/sbin/unbound'],
    users: ['unbound'],
    folders: {},
  });
  jail.write('etc/unbound/unbound.conf', readConfig('unbound.conf', { resolverPort, nameServerPort }));
  const child = jail.run('/usr/sbin/unbound', ['-d', '-c', '/etc/unbound/unbound.conf']);
  const stop = () => stopProcess(child);
  await readyOrStopped(untilListening('127.0.0.1', resolverPort, 'Unbound'), stop);
  return { stop };
}
