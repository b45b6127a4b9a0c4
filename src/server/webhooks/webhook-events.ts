import { createHash } from 'node:crypto';
import type { KeyRecord } from '../../jobs/store/keys.js';
import { adminOwner } from '../../jobs/store/sessions.js';
import type { DeliveryRecord, EndedJob, WebhookRecord } from '../../jobs/store/webhooks.js';

/** The deliveries of ended jobs to the webhooks that subscribe to them and existed before. */
export function deliveriesFor(
  webhooks: readonly WebhookRecord[],
  { jobs, keys, now }: { jobs: readonly EndedJob[]; keys: readonly KeyRecord[]; now: number },
): DeliveryRecord[] {
  const memberOfKey = new Map(keys.map(({ id, memberId = null }) => [id, memberId]));
  return jobs.flatMap((job) => {
    const event = job.state === 'completed' ? 'job.completed' : 'job.failed';
    return webhooks
      .filter(({ owner, events, createdAt }) => {
        const mayKnow = owner === adminOwner || owner === job.owner || owner === memberOfKey.get(job.owner);
        return mayKnow && events.includes(event) && createdAt <= job.finishedAt;
      })
      .map((webhook) => toDelivery(webhook, event, job, now));
  });
}

/** The id is equal for the same event in every process and at every time. */
function toDelivery({ id: webhookId }: WebhookRecord, event: string, job: EndedJob, now: number): DeliveryRecord {
  const { id, filename, state: status, finishedAt, total, valid, invalid, risky, unknown, duplicate } = job;
  const finished_at = new Date(finishedAt).toISOString();
  const digest = createHash('sha256').update(`${webhookId} ${event} ${id} ${finishedAt}`).digest('base64url');
  const data = {
    ...{ id, filename, status, total, valid_count: valid, invalid_count: invalid, risky_count: risky },
    ...{ unknown_count: unknown, duplicate_count: duplicate, finished_at },
  };
  return {
    id: `msg_${digest.slice(0, 27)}`,
    webhookId,
    event,
    payload: JSON.stringify({ type: event, timestamp: finished_at, data }),
    createdAt: now,
    state: 'pending',
    attempts: 0,
    nextAt: now,
    lastStatus: null,
    lastError: null,
  };
}
