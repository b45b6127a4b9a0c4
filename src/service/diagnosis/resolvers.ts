import { localCallerWith } from '../../async/caller.js';
import { randomLabel } from '../../engine/checks/resolver-trust.js';
import { type Dns, systemDns } from '../../net/dns/dns.js';
import { lookUpResolvers } from '../../net/dns/resolver-address.js';
import { type Check, fail, failedWith, ok, warn } from './check.js';

export type OpenDns = (resolvers: readonly string[], timeoutMs: number) => Dns | Promise<Dns>;

export const openSystemDns: OpenDns = async (resolvers, timeoutMs) =>
  systemDns({ resolvers: await lookUpResolvers(resolvers), timeoutMs });

interface ResolverCheckOptions {
  resolvers: readonly string[];
  /** Names that the user gave. A network with its own DNS root may know them, but no public name. */
  ownNames?: readonly string[];
  openDns: OpenDns;
  timeoutMs: number;
  signal: AbortSignal;
}

const otherResolverHint =
  'Name one that works: --set resolvers=HOST, or permanently: mailvet config set resolvers HOST';
const denialHint =
  'Name one that works with --set resolvers=HOST. If this network has its own names, test with one of them: mailvet doctor --probe HOST';
const problems: Record<string, string> = {
  timeout: 'does not answer',
  servfail: 'cannot resolve names (SERVFAIL)',
  refused: 'refuses our queries, or does not exist',
  malformed: 'sends malformed answers',
};

/** Checks that each resolver responds, and does not falsify answers. A broken one only delays queries while another works. */
export async function checkResolvers(questions: ResolverCheckOptions): Promise<Check[]> {
  const { resolvers } = questions;
  if (resolvers.length === 0) {
    return [fail('resolver', 'network', 'This machine has no DNS server configured.', { hint: otherResolverHint })];
  }
  const checks = await Promise.all(resolvers.map((resolver) => checkResolver(resolver, questions)));
  const hasWorking = checks.some(({ state }) => state !== 'fail');
  return checks.map((check) => {
    const isSilent = check.code === 'network' && check.facts['denies'] !== true;
    if (!hasWorking || !isSilent) return check;
    return { ...check, state: 'warn', code: null, hint: 'The others are asked instead, which takes longer.' };
  });
}

/** A resolver that can be trusted. */
export function isUsable({ name, state }: Check): boolean {
  return name === 'resolver' && (state === 'ok' || state === 'warn');
}

async function checkResolver(resolver: string, questions: ResolverCheckOptions): Promise<Check> {
  const { openDns, timeoutMs, signal } = questions;
  const subject = resolver;
  let dns: Dns;
  try {
    dns = await openDns([resolver], timeoutMs);
  } catch (thrown) {
    return failedWith('resolver', thrown, { subject });
  }
  try {
    const startedAt = performance.now();
    const top = await dns.ns('com', localCallerWith(signal));
    const facts = { elapsed_ms: Math.round(performance.now() - startedAt) };
    const extra = { subject, hint: otherResolverHint };
    if (top.state === 'failed') {
      return fail('resolver', 'network', `${resolver} ${problems[top.why]}.`, { ...extra, facts: { why: top.why } });
    }
    if (top.state === 'absent') {
      const knows = await findKnownName(dns, questions);
      if (knows === null) {
        const message = `${resolver} denies even the top-level domain com, so its denials cannot be trusted.`;
        return fail('resolver', 'network', message, { subject, hint: denialHint, facts: { ...facts, denies: true } });
      }
      const message = `${resolver} knows ${knows}, but denies the top-level domain com: this network has its own names only.`;
      const hint = 'Addresses of its own domains can be checked; those of public domains stay unknown.';
      return warn('resolver', message, { subject, hint, facts: { ...facts, denies: true, knows } });
    }
    const name = `${randomLabel()}.com`;
    const random = [dns.addresses(name, localCallerWith(signal)), dns.mx(name, localCallerWith(signal))];
    if ((await Promise.all(random)).some(({ state }) => state === 'found')) {
      const message = `${resolver} answers for names that do not exist, so its answers cannot be trusted.`;
      return warn('resolver', message, { ...extra, facts: { ...facts, invents: true } });
    }
    return ok('resolver', `${resolver} answers honestly (${facts.elapsed_ms} ms).`, { subject, facts });
  } finally {
    dns.close();
  }
}

/** The first own name that the resolver knows; null if there is none. */
async function findKnownName(dns: Dns, { ownNames = [], signal }: ResolverCheckOptions): Promise<string | null> {
  for (const name of ownNames) {
    const answers = [await dns.addresses(name, localCallerWith(signal)), await dns.mx(name, localCallerWith(signal))];
    if (answers.some(({ state }) => state === 'found')) return name;
  }
  return null;
}
