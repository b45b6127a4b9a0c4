import { recent } from '../../async/bounded-map.js';
import { type Clock, systemClock } from '../../async/clock.js';
import type { Address } from '../../model/address.js';
import { type PortMemory, portWatch } from '../pool/blocked-port.js';
import { defaultTraits, type HostTraits, type TraitsOf } from '../pool/host-traits.js';
import { type PoolQuestion, sessionPool, targetsOf } from '../pool/pool.js';
import type { Asked, TimedLine } from '../pool/probe-task.js';
import { readReply } from '../replies/read-reply.js';
import type { Reading } from '../replies/reading.js';
import type { ReplyRule } from '../replies/rules.js';
import { type Dial, directDial, socksDial } from '../smtp/dial.js';
import { checkIdentity, ownEhloName, sendersFor } from '../smtp/identity.js';
import type { SmtpTimeouts } from '../smtp/session.js';
import { catchAllBook } from './catch-all.js';
import { withGreylistPatience } from './greylist-retry.js';
import { catchAllEvidence, mailboxEvidence, retryAtOf, shown, unaskable } from './probe-evidence.js';
import type { ProbeAnswer, ProbeRequest, Prober } from './prober.js';

export interface SmtpProberOptions {
  /** Default: this machine's full name, else the address literal of each connection. */
  ehloName?: string | null;
  /** Default: the null sender; see `sendersFor`. */
  mailFrom?: string | null;
  port?: number;
  timeouts?: Partial<SmtpTimeouts>;
  /** Connect deadline while nothing has connected yet. */
  firstConnectMs?: number;
  /** Sessions at a time, over all hosts. */
  concurrency?: number;
  /** How long a session without work is kept for more. */
  lingerMs?: number;
  /** The first wait after a host has asked us to slow down; it doubles. */
  backoffMs?: number;
  /** `socks5://[user:password@]host:port` */
  proxy?: string | null;
  tls?: 'opportunistic' | 'never';
  traitsOf?: TraitsOf;
  extraRules?: readonly ReplyRule[];
  /** How long to come back to greylisted addresses; 0 reports at once. */
  greylistWaitMs?: number;
  /** What the names of random mailboxes are made from, asked for once; by default every prober makes its own. */
  mailboxSecret?: (() => Uint8Array) | null;
  /** Whether an earlier run found the port blocked on this network. */
  portMemory?: PortMemory | null;
  /** Called once, when connects show that the port is blocked. */
  onPortBlocked?: () => void;
  clock?: Clock;
  dial?: Dial;
}

/** A prober that can also say how it went. */
export interface SmtpProber extends Prober {
  /** Connections opened so far. */
  readonly connections: number;
}

const defaultTimeouts: SmtpTimeouts = { connectMs: 8000, bannerMs: 30_000, stepMs: 20_000, totalMs: 60_000 };
const rememberedAnswers = 5000;
const rememberedProviders = 1000;

const nothingSpecial = {};
const usual: TraitsOf = () => nothingSpecial;
const rememberedDeferrals = 50_000;

/** A prober over SMTP. Bad settings are the Failure `bad_input`. */
export function smtpProber(options: SmtpProberOptions = {}): SmtpProber {
  const clock = options.clock ?? systemClock;
  const ehloName = options.ehloName ?? ownEhloName();
  const mailFrom = options.mailFrom ?? null;
  checkIdentity(ehloName, mailFrom);
  const proxied = options.proxy !== undefined && options.proxy !== null && options.proxy !== '';
  const dial = options.dial ?? (proxied ? socksDial(options.proxy ?? '') : directDial);
  const watch = portWatch(proxied ? null : (options.portMemory ?? null), () => {
    options.onPortBlocked?.();
    pool.stopDialling();
  });
  const traitsOf = options.traitsOf ?? usual;
  const strangers = traitsOf(null);
  const extraRules = options.extraRules ?? [];
  const traitsByProvider = recent<HostTraits>(rememberedProviders);
  const answers = recent<ProbeAnswer>(rememberedAnswers);
  const underWay = new Map<string, Promise<ProbeAnswer>>();
  const deferred = recent<true>(rememberedDeferrals);
  const catchAlls = catchAllBook(clock, options.mailboxSecret ?? undefined);
  const pool = sessionPool({
    dial,
    ehloName,
    senders: sendersFor(mailFrom, ehloName),
    tls: options.tls ?? 'opportunistic',
    timeouts: { ...defaultTimeouts, ...options.timeouts },
    firstConnectMs: options.firstConnectMs ?? 4000,
    concurrency: options.concurrency ?? 100,
    lingerMs: options.lingerMs ?? 1000,
    backoffMs: options.backoffMs ?? 1000,
    clock,
    // A proxy that cannot connect says nothing about our own port.
    watch: proxied ? { ...watch, failed() {}, blocked: false, proven: true } : watch,
    read: (task, reply, { ourIp, ourName, target }) =>
      readReply(reply, {
        probed: task.recipient.address,
        ourIp,
        ourName,
        hostName: target.host,
        firstContact: task.firstContact,
        extraRules,
      }),
  });

  function traitsFor(provider: string | null): HostTraits {
    const key = provider ?? '';
    const same = traitsByProvider.get(key);
    if (same !== undefined) return same;
    const traits = { ...defaultTraits, ...traitsOf(provider) };
    traitsByProvider.set(key, traits);
    return traits;
  }

  async function ask(request: ProbeRequest, signal?: AbortSignal): Promise<ProbeAnswer> {
    const { address, route, provider } = request;
    const startedAt = clock.elapsed();
    const dialogue: TimedLine[] = [];
    const probed = wireForm(address);
    const traits = traitsFor(provider);
    const question: PoolQuestion = {
      recipient: { address: probed, domain: address.domain, smtputf8: address.needsSmtpUtf8 },
      targets: targetsOf(route, options.port ?? 25),
      traits,
      // Names that happen to be alike do not make hosts a provider: only one with traits of its own shares a limit.
      provider: traitsOf(provider) === strangers ? null : provider,
      firstContact: deferred.get(probed) === undefined,
      keepDialogue: request.keepDialogue ?? false,
    };
    const real = await pool.ask(question, dialogue, signal);
    let reading = readingOf(real, probed);
    let random: Asked | null = null;
    const accepted = reading?.reason === 'accepted';
    if (real.state === 'answered' && !traits.acceptsAll) {
      const askThere = (localPart: string, inconclusive: Asked | null = null): Promise<Asked> => {
        const recipient = { address: `${localPart}@${address.domain}`, domain: address.domain, smtputf8: false };
        if (inconclusive?.state === 'answered') inconclusive.seat.retire();
        const there = { ...question, recipient, targets: [real.target] };
        return pool.ask(inconclusive === null ? { ...there, seat: real.seat } : there, dialogue);
      };
      if (accepted || reading?.vague) {
        random = await interruptible(catchAlls.answerFor(address.domain, real.target.ip, askThere), signal);
      } else if (reading?.reason === 'greylisted') {
        await interruptible(catchAlls.introduce(address.domain, real.target.ip, askThere), signal);
      }
    }
    if (reading?.vague && real.state === 'answered' && random?.state === 'answered') {
      reading = readReply(real.reply, { probed, hostName: real.target.host, random: random.reply, extraRules });
    }
    if (reading !== null && reading.retryAfterSeconds !== null) deferred.set(probed, true);
    const mailbox = mailboxEvidence(real, reading, clock.now(), shown(dialogue, startedAt, request));
    const randomRead = random === null ? null : { asked: random, reading: readingOf(random, probed) };
    const catchAll = catchAllEvidence(reading, real, randomRead, traits.acceptsAll);
    if (accepted && catchAll.outcome === 'inconclusive') {
      mailbox.retryAt = retryAtOf(randomRead?.reading ?? null, clock.now());
    }
    return { mailbox, catchAll };
  }

  /** What the answer, or the reply that ended the dialogue, means; null where no host said anything. */
  function readingOf(asked: Asked, probed: string): Reading | null {
    if (asked.state === 'answered') return asked.reading;
    if (asked.state !== 'faulted' || asked.fault.reply === null) return null;
    const reading = readReply(asked.fault.reply, {
      probed,
      hostName: asked.target?.host ?? '',
      firstContact: deferred.get(probed) === undefined,
      extraRules,
    });
    return reading.reason === 'session_limit' ? { ...reading, reason: 'rate_limited' } : reading;
  }

  function shared(request: ProbeRequest, signal?: AbortSignal): Promise<ProbeAnswer> {
    const key = wireForm(request.address);
    const known = answers.get(key);
    if (known !== undefined) return Promise.resolve(known);
    const same = underWay.get(key);
    if (same !== undefined)
      return interruptible(same, signal).catch((error) => {
        // The one who asked first was interrupted; we were not.
        if (signal?.aborted === true) throw error;
        return shared(request, signal);
      });
    const asking = ask(request, signal);
    underWay.set(key, asking);
    return asking.then(
      (answer) => {
        underWay.delete(key);
        const settled = answer.mailbox.outcome.state !== 'unknown' && answer.catchAll.outcome !== 'inconclusive';
        if (settled) answers.set(key, answer);
        return answer;
      },
      (error: unknown) => {
        underWay.delete(key);
        throw error;
      },
    );
  }

  const prober: Prober = {
    async probe(request, signal) {
      signal?.throwIfAborted();
      if (/\p{Cc}/u.test(wireForm(request.address))) return unaskable(request);
      return request.keepDialogue === true ? ask(request, signal) : shared(request, signal);
    },
    async close() {
      pool.close();
    },
  };
  const patient = withGreylistPatience(prober, { waitMs: options.greylistWaitMs ?? 0, clock });
  return {
    probe: patient.probe,
    close: patient.close,
    get connections() {
      return pool.connections;
    },
  };
}

function wireForm({ localPart, domain }: Address): string {
  return `${localPart}@${domain}`;
}

/** The promise, or the reason of the abort, whichever comes first. */
function interruptible<Value>(promise: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
