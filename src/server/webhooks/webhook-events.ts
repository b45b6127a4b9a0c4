import { createHash } from 'node:crypto';
import type { KeyRecord } from '../../jobs/store/keys.js';
import { adminOwner } from '../../jobs/store/sessions.js';
import type { DeliveryRecord, EndedJob, WebhookRecord } from '../../jobs/store/webhooks.js';
import type { WebhookEvent } from '../../wire/app-webhooks.js';

const dayMs = 24 * 60 * 60_000;
/** A key is reported when it expires within this time. */
const expiringMs = 7 * dayMs;
/** A key is reported when less than this share of its credits is left. */
const lowShare = 0.1;

/** An event before its receivers are determined. */
interface Occurrence {
  event: WebhookEvent;
  /** Equal for the same occurrence, in every process and at every time. */
  key: string;
  /** The owner of the job, or the member that the key belongs to. */
  owners: readonly string[];
  at: number;
  data: Record<string, unknown>;
}

/** The deliveries of all events to the webhooks that subscribe to them and existed before. */
export function deliveriesFor(
  webhooks: readonly WebhookRecord[],
  { jobs, keys, now }: { jobs: readonly EndedJob[]; keys: readonly KeyRecord[]; now: number },
): DeliveryRecord[] {
  const memberOfKey = new Map(keys.map(({ id, memberId = null }) => [id, memberId]));
  const occurrences = [
    ...jobs.map((job) => jobEnded(job, memberOfKey.get(job.owner) ?? null)),
    ...keys.flatMap((key) => keyOccurrences(key, now)),
  ];
  return occurrences.flatMap((occurrence) =>
    webhooks
      .filter(({ owner, events, createdAt }) => {
        const mayKnow = owner === adminOwner || occurrence.owners.includes(owner);
        return mayKnow && events.includes(occurrence.event) && createdAt <= occurrence.at;
      })
      .map((webhook) => toDelivery(webhook, occurrence, now)),
  );
}

/** A delivery that only tests the receiver. */
export function testDelivery(webhook: WebhookRecord, now: number): DeliveryRecord {
  return toDelivery(webhook, { event: 'webhook.test', key: String(now), owners: [], at: now, data: {} }, now);
}

function jobEnded(job: EndedJob, memberId: string | null): Occurrence {
  const { id, owner, filename, state, finishedAt, total, valid, invalid, risky, unknown, duplicate } = job;
  return {
    event: state === 'completed' ? 'job.completed' : 'job.failed',
    key: `${id} ${finishedAt}`,
    owners: memberId === null ? [owner] : [owner, memberId],
    at: finishedAt,
    data: {
      ...{ id, filename, status: state, total, valid_count: valid, invalid_count: invalid, risky_count: risky },
      ...{ unknown_count: unknown, duplicate_count: duplicate, finished_at: new Date(finishedAt).toISOString() },
    },
  };
}

function keyOccurrences(key: KeyRecord, now: number): Occurrence[] {
  const { id, name, prefix, credits, granted, expiresAt, revokedAt, memberId = null } = key;
  if (revokedAt !== null || (expiresAt ?? Number.POSITIVE_INFINITY) <= now) return [];
  const owners = memberId === null ? [] : [memberId];
  const common = { id, name, prefix };
  const isLow = credits !== null && granted !== null && granted > 0 && credits < granted * lowShare;
  const expiresSoon = expiresAt !== null && expiresAt - now < expiringMs;
  return [
    ...(isLow
      ? [
          {
            ...{ event: 'credits.low' as const, key: `${id} ${granted}`, owners, at: now },
            data: { ...common, credits, granted },
          },
        ]
      : []),
    ...(expiresSoon
      ? [
          {
            ...{ event: 'key.expiring' as const, key: `${id} ${expiresAt}`, owners, at: now },
            data: { ...common, expires_at: new Date(expiresAt).toISOString() },
          },
        ]
      : []),
  ];
}

function toDelivery(
  { id: webhookId }: WebhookRecord,
  { event, key, at, data }: Occurrence,
  now: number,
): DeliveryRecord {
  const digest = createHash('sha256').update(`${webhookId} ${event} ${key}`).digest('base64url');
  return {
    id: `msg_${digest.slice(0, 27)}`,
    webhookId,
    event,
    payload: JSON.stringify({ type: event, timestamp: new Date(at).toISOString(), data }),
    createdAt: now,
    state: 'pending',
    attempts: 0,
    nextAt: now,
    lastStatus: null,
    lastError: null,
  };
}
