import { describe, expect, test } from 'vitest';
import type { Caller } from '../../../src/async/caller.js';
import { createDomainLookup } from '../../../src/engine/domain-lookup.js';
import { type Checkers, vet } from '../../../src/engine/vet.js';
import { expiry, HostKnowledge } from '../../../src/net/host-knowledge.js';
import { smtpProber } from '../../../src/net/probe/smtp-prober.js';
import { type HostBehavior, scriptedDial } from '../../fakes/scripted-hosts.js';
import { type SimulatedClock, simulatedClock } from '../../fakes/simulated-clock.js';
import { amount } from '../../size.js';
import { address, request, routeTo } from './smtp-probe.js';

const hosts = 50_000;
const questions = amount(2_400, 100_000);
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** Hosts that are asked about every day, as those of the large providers. */
const busyHosts = 60;
const domainsPerBusyHost = 5;

/** The longest TTL of a fact that decides a verdict: an accepted mailbox, and the random one. */
const factMs = hourMs;

/** The same number for the same text, evenly spread over 0..1. */
function draw(text: string): number {
  let hash = 2166136261;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 16777619);
  hash = Math.imul(hash ^ (hash >>> 15), 2246822519);
  hash = Math.imul(hash ^ (hash >>> 13), 3266489917);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

const kinds = [
  ...['tells_apart', 'tells_apart_vaguely', 'accepts_everybody', 'refuses_everybody', 'down', 'silent', 'tarpit'],
  ...['greylist', 'limit', 'blocks_us', 'overloaded'],
] as const;
type Kind = (typeof kinds)[number];

/** The behavior of a host from a point in time on. */
interface Phase {
  kind: Kind;
  since: number;
}

/** The simulated hosts: each changes its behavior every half day to every eight days. */
class World {
  private readonly phases = new Map<string, Phase[]>();
  private readonly greylisted = new Map<string, number>();

  constructor(private readonly clock: SimulatedClock) {}

  phaseOf(ip: string): Phase {
    const now = this.clock.now();
    const known = this.phases.get(ip) ?? [{ kind: kindAt(ip, 0), since: -dayMs }];
    this.phases.set(ip, known);
    for (let last = known[known.length - 1] as Phase; ; last = known[known.length - 1] as Phase) {
      const ends = last.since + dayMs / 2 + draw(`${ip} lasts ${known.length}`) * 7.5 * dayMs;
      if (ends > now) return last;
      known.push({ kind: kindAt(ip, known.length), since: ends });
    }
  }

  behaviorOf(ip: string): HostBehavior {
    const { kind, since } = this.phaseOf(ip);
    const connect = kind === 'down' ? 'refused' : kind === 'silent' ? 'timeout' : null;
    const banner = kind === 'blocks_us' ? '554 5.7.1 blocked using zen.spamhaus.org' : '220 mx ESMTP';
    const rcpt = (mailbox: string, nth: number) => this.answer(kind, since, mailbox, nth);
    return { connect, banner, rcpt, ...(kind === 'limit' && { maxConnections: 2 }) };
  }

  private answer(kind: Kind, since: number, mailbox: string, nth: number): { reply: string | null; delayMs?: number } {
    const exists = isReal(mailbox) || mailbox.startsWith('postmaster@');
    const plain = exists ? '250 2.1.5 ok' : '550 5.1.1 User unknown';
    switch (kind) {
      case 'tells_apart_vaguely':
        return { reply: exists ? '250 2.1.5 ok' : '550 mailbox unavailable' };
      case 'accepts_everybody':
        return { reply: '250 2.1.5 ok' };
      case 'refuses_everybody':
        return { reply: '550 mailbox unavailable' };
      case 'tarpit':
        return exists ? { reply: plain } : { reply: plain, delayMs: 8_000 };
      case 'greylist':
        return { reply: this.hasWaited(since, mailbox) ? plain : '451 4.7.1 Greylisted, try again in 5 minutes' };
      case 'limit':
        return { reply: nth > 3 ? '421 4.7.0 too many recipients' : plain };
      case 'overloaded':
        return { reply: '452 4.3.1 Insufficient system storage' };
      default:
        return { reply: plain };
    }
  }

  private hasWaited(since: number, mailbox: string): boolean {
    const key = `${since} ${mailbox}`;
    const seenAt = this.greylisted.get(key) ?? this.clock.now();
    this.greylisted.set(key, seenAt);
    return this.clock.now() - seenAt >= 5 * minuteMs;
  }
}

function kindAt(ip: string, nth: number): Kind {
  // Most hosts work most of the time.
  const drawn = draw(`${ip} is ${nth}`);
  return drawn < 0.3 ? 'tells_apart' : (kinds[Math.floor(draw(`${ip} acts ${nth}`) * kinds.length)] ?? 'tells_apart');
}

function isReal(mailbox: string): boolean {
  return mailbox.startsWith('user') && draw(mailbox) < 0.6;
}

function ipOf(host: number): string {
  return `10.${host >> 16}.${(host >> 8) & 255}.${host & 255}`;
}

function hostOf(email: string): number {
  return Number(/@d(\d+)/.exec(email)?.[1] ?? 0);
}

/** A process: all that it knows is in its prober and its lookups. */
function startProcess(clock: SimulatedClock, world: World) {
  const knowledge = new HostKnowledge(clock);
  const exceptions: unknown[] = [];
  const prober = smtpProber({
    knowledge,
    ehloName: 'probe.example.net',
    tls: 'required',
    mailboxSecret: () => new Uint8Array(32),
    onException: (error) => exceptions.push(error),
    dial: scriptedDial(clock, ({ ip }) => world.behaviorOf(ip)),
  });
  const domain = createDomainLookup(
    {
      route: async ({ domain }) => {
        const name = `mx.${domain}`;
        const addresses = [ipOf(hostOf(`@${domain}`))];
        return { state: 'passed', detail: { implicit: false, hosts: [{ name, preference: 0, addresses }] } };
      },
      txt: async () => ({ state: 'absent', why: 'nodata' }),
      registrableDomain: (name) => name,
      providerOf: () => null,
    },
    knowledge,
  );
  const checkers: Checkers = {
    lists: { check: () => noFacts, disposableHost: () => null, isAllowed: () => false },
    network: { domain, prober, plausibility: null },
  };
  const ask = async (email: string, caller?: Caller) => {
    const options = { level: 'smtp', ...(caller && { caller }) } as const;
    const { verdict } = await vet(email, { ok: true, address: address(email) }, checkers, options);
    return `${verdict.status} ${verdict.subStatus}`;
  };
  return { ask, prober, knowledge, exceptions };
}

const noFacts = {
  ...{ disposable: null, disposableNeighbors: null, role: null, possibleRole: null, free: false, relay: false },
  ...{ reserved: null, unknownTld: false, didYouMean: null },
};

/** The difference between a verdict and that of a fresh process; null: none. */
type Difference = string | null;

class Month {
  readonly clock = simulatedClock();
  readonly world = new World(this.clock);
  readonly service = startProcess(this.clock, this.world);
  readonly compared = new Map<Kind, number>();
  asked = 0;

  /** Asks for some mailboxes at once, in the service and in a fresh process each. */
  async ask(emails: readonly string[]): Promise<Difference[]> {
    const { clock, world, service } = this;
    const phases = emails.map((email) => world.phaseOf(ipOf(hostOf(email))));
    const verdicts = await clock.runUntil(Promise.all(emails.map((email) => service.ask(email))));
    const fresh = emails.map((email) => freshVerdict(clock, world, email));
    const expected = await clock.runUntil(Promise.all(fresh));
    this.asked += emails.length;
    return emails.map((email, index) => {
      const { kind, since } = phases[index] as Phase;
      // A fact from before the last change may be valid for this long, and the host may change while it is asked.
      const isStable = clock.now() - since > factMs + 10 * minuteMs;
      if (!isStable || world.phaseOf(ipOf(hostOf(email))).since !== since) return null;
      this.compared.set(kind, (this.compared.get(kind) ?? 0) + 1);
      if (verdicts[index] === expected[index]) return null;
      const day = (clock.now() / dayMs).toFixed(2);
      return `${email} on day ${day} (${kind}): ${verdicts[index]}, but fresh: ${expected[index]}`;
    });
  }
}

async function freshVerdict(clock: SimulatedClock, world: World, email: string): Promise<string> {
  const process = startProcess(clock, world);
  const verdict = await process.ask(email);
  await process.prober.close();
  return verdict;
}

test(
  'over a month, every verdict is that of a fresh process, and memory is bounded',
  async () => {
    const month = new Month();
    const { clock, service } = month;
    const perBurst = 6;
    const bursts = Math.ceil(questions / perBurst);
    for (let nth = 0; nth < bursts; nth++) {
      await clock.advanceTo((nth / bursts) * 30 * dayMs);
      const emails = new Set(Array.from({ length: perBurst }, (_, index) => emailFor(nth, index)));
      expect((await month.ask([...emails])).filter((difference) => difference !== null)).toEqual([]);
      for (const [kind, size] of service.knowledge.sizes()) expect(size).toBeLessThanOrEqual(expiry[kind].maxEntries);
      expect(service.prober.stats().queues).toBeLessThanOrEqual(2_000);
    }
    const compared = [...month.compared.values()].reduce((sum, count) => sum + count, 0);
    expect(compared / month.asked).toBeGreaterThan(0.95);
    expect([...month.compared.keys()].sort()).toEqual([...kinds].sort());
    expect(service.exceptions).toEqual([]);
    await service.prober.close();
    await clock.advanceTo(31 * dayMs);
    expect(clock.pending).toBe(0);
  },
  Math.max(10 * minuteMs, questions * 6),
);

describe('no caller waits longer than its share allows', () => {
  const sessions = 8;
  const perSession = 9;
  const caller = (owner: string, priority: Caller['priority']): Caller => ({ owner, priority, taskId: '' });
  const host = Array.from({ length: hosts }, (_, index) => index).find(isSteady) ?? 0;

  test.each([
    { name: 'a job that comes late gets every other turn', priority: 'job' as const, count: 40 },
    { name: 'a bulk request gets its turns before a job', priority: 'bulk' as const, count: 40 },
    { name: 'a single request waits for one batch at most', priority: 'single' as const, count: 1 },
  ])('$name, even after days of work for another caller', async ({ priority, count }) => {
    const { clock, service } = new Month();
    const route = routeTo({ ip: ipOf(host) });
    const answered = { early: 0, late: 0 };
    const ask = (owner: keyof typeof answered, nth: number, as: Caller) =>
      service.prober.probe(request(`user-${owner}-${nth}@d${host}-0.example`, route), as).then(() => answered[owner]++);
    for (let day = 0; day < 2; day++) {
      await clock.advanceTo(day * dayMs);
      const list = Array.from({ length: 2_000 }, (_, nth) => ask('early', day * 2_000 + nth, caller('early', 'job')));
      await clock.advanceTo(day * dayMs + 200);
      const before = answered.early;
      const late = Array.from({ length: count }, (_, nth) => ask('late', day * count + nth, caller('late', priority)));
      await clock.runUntil(Promise.all(late));
      // Probes in flight are answered first; then the callers take turns.
      const turns = priority === 'job' ? count : Math.ceil(count / 7);
      expect(answered.early - before).toBeLessThanOrEqual(sessions * perSession + turns);
      await clock.runUntil(Promise.all(list));
    }
    await service.prober.close();
  });
});

/** True for a host that always works, so that only turns decide who waits. */
function isSteady(host: number): boolean {
  return kindAt(ipOf(host), 0) === 'tells_apart' && draw(`${ipOf(host)} lasts 1`) > 0.9;
}

/** Half of all probes go to busy hosts, and each mailbox is repeated now and then. */
function emailFor(nth: number, index: number): string {
  const drawn = draw(`${nth} asks ${index}`);
  const user = `user${Math.floor(draw(`${nth} names ${index}`) * 12)}`;
  if (drawn < 0.5) {
    const host = Math.floor(drawn * 2 * busyHosts);
    return `${user}@d${host}-${Math.floor(draw(`${nth} picks ${index}`) * domainsPerBusyHost)}.example`;
  }
  return `${user}@d${busyHosts + Math.floor((drawn - 0.5) * 2 * (hosts - busyHosts))}-0.example`;
}
