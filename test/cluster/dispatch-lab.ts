import { createHash } from 'node:crypto';
import { onTestFinished, vi } from 'vitest';
import { localCallerWith } from '../../src/async/caller.js';
import { type Dispatch, openDispatch } from '../../src/jobs/dispatch/open-dispatch.js';
import type { Requester } from '../../src/jobs/dispatch/requester.js';
import { openPostgres } from '../../src/jobs/store/postgres/postgres-store.js';
import type { MailboxReason } from '../../src/model/evidence.js';
import type { ProbeAnswer, ProbeRequest, Prober } from '../../src/net/probe/prober.js';

/** One process of a cluster, with its dispatch. */
export interface Member {
  name: string;
  id: string;
  notes: readonly string[];
  /** Asks for a mailbox of the domain `host`, whose mail host has the same name and its own address. */
  ask(requester: Requester, email: string, signal?: AbortSignal): Promise<ProbeAnswer>;
  /** Ends without cleanup, as after kill -9. */
  vanish(): Promise<void>;
  stop(): Promise<void>;
}

export interface ClusterStores {
  address: string;
  redis: string | null;
}

/** A requester without a local prober. */
const noLocalProber: Prober = {
  probe: () => Promise.reject(new Error('There is no worker.')),
  close: async () => {},
};

/** Opens a process that sends probes; with `probe`, also a worker that answers them. */
export async function join(
  { address, redis }: ClusterStores,
  name: string,
  probe?: Prober['probe'],
  sessions = 100,
): Promise<Member> {
  const processInfo = { kind: probe === undefined ? 'node' : 'worker', name } as const;
  const { store, cluster } = await openPostgres(address, { processInfo, beatMs: 200, silentMs: 1_500 });
  const notes: string[] = [];
  const dispatch = await openDispatch({
    cluster,
    redis,
    isLarge: (provider) => provider === 'Large',
    onNote: (text) => void notes.push(text),
  });
  const stopWorking = probe && dispatch.work({ probe, close: async () => {} }, sessions, () => {});
  let isGone = false;
  const leave = async (): Promise<void> => {
    if (isGone) return;
    isGone = true;
    await stopWorking?.();
    await dispatch.close();
    await store.close();
  };
  onTestFinished(leave);
  return {
    ...{ name, id: cluster.heartbeat.id, notes },
    ask: (requester, email, signal) => askIn(dispatch, requester, email, signal),
    vanish: async () => {
      isGone = true;
      await cluster.database.close();
      await dispatch.close();
    },
    stop: leave,
  };
}

/** Resolves when a worker answers the requester. */
export async function waitForWorkers(member: Member): Promise<void> {
  const isAnswered = async (): Promise<boolean> => {
    const requester = { id: `first-${Math.random()}`, priority: 'single', withinMs: 1_000 } as const;
    return member.ask(requester, 'hello@seen.example').then(
      () => true,
      () => false,
    );
  };
  await vi.waitUntil(isAnswered, { timeout: 15_000, interval: 100 });
}

function askIn(dispatch: Dispatch, requester: Requester, email: string, signal?: AbortSignal): Promise<ProbeAnswer> {
  return dispatch.proberFor(requester, noLocalProber).probe(requestFor(email), localCallerWith(signal));
}

function requestFor(email: string): ProbeRequest {
  const [localPart = '', domain = ''] = email.split('@');
  return {
    address: {
      ...{ localPart, domain, displayDomain: domain, literal: null, tag: null, canonical: email },
      needsSmtpUtf8: false,
    },
    route: { hosts: [{ name: domain, preference: 10, addresses: [addressOf(domain)] }], implicit: false },
    provider: domain === 'large.example' ? 'Large' : null,
  };
}

/** An address for each mail host. */
function addressOf(host: string): string {
  const [one = 0, two = 0, three = 0] = createHash('sha1').update(host).digest();
  return `10.${one}.${two}.${three}`;
}

const otherFields = { host: 'mx', ip: '192.0.2.1', reply: null, rule: null, certainty: 0.9, dialogue: [] };
const catchAll = { outcome: 'not_run', source: null, reply: null } as const;

export const accepted: ProbeAnswer = {
  mailbox: { outcome: { state: 'passed', detail: null }, retryAt: null, ...otherFields },
  catchAll,
};

export function unknown(reason: MailboxReason, retryAt: number | null = null): ProbeAnswer {
  return { mailbox: { outcome: { state: 'unknown', reason }, retryAt, ...otherFields }, catchAll };
}
