import { randomBytes, randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { DeliveryRecord, WebhookRecord } from '../../jobs/store/webhooks.js';
import { Failure } from '../../model/failure.js';
import type { Networks } from '../../net/ip-range.js';
import type { WebhookView } from '../../wire/app.js';
import type { Handlers } from '../routes/router.js';
import { callerOf } from '../server-context.js';
import { isForbiddenLiteral, privateAddressReason, secretPrefix } from '../webhooks/send-webhook.js';
import type { WebContext } from './web-context.js';

const dayMs = 24 * 60 * 60_000;
/** The Webhooks page: those of the administrators, or the member's own. */
export function webhookHandlers(context: WebContext) {
  const { store, audit, webhooks: queue, webhookNetworks } = context;
  /** A member who became an administrator keeps their own webhooks. */
  const listOf = async (request: FastifyRequest): Promise<WebhookRecord[]> => {
    const owners = new Set([callerOf(request).id, request.session?.owner ?? callerOf(request).id]);
    return (await Promise.all([...owners].map((owner) => store.listWebhooks(owner)))).flat();
  };
  const webhookOf = async (request: FastifyRequest, id: string): Promise<WebhookRecord> => {
    const webhook = (await listOf(request)).find((each) => each.id === id);
    if (webhook === undefined) throw new Failure('not_found', 'There is no such webhook.', { hint: 'It was deleted.' });
    return webhook;
  };
  const viewOf = async (webhook: WebhookRecord): Promise<WebhookView> =>
    toWebhookView(webhook, await store.lastDelivery(webhook.id));
  const record = (request: FastifyRequest, action: string, { id, url }: WebhookRecord): Promise<void> =>
    audit.record(request, { action, subject: id, subjectName: new URL(url).host });

  return {
    listWebhooks: async ({ request }) => ({ webhooks: await Promise.all((await listOf(request)).map(viewOf)) }),
    addWebhook: async ({ request, body: { url, events } }) => {
      const webhook: WebhookRecord = {
        id: randomUUID(),
        owner: callerOf(request).id,
        url: requireReceiver(url, webhookNetworks),
        events: [...new Set(events)],
        secret: createSecret(),
        oldSecret: null,
        oldSecretUntil: null,
        createdAt: Date.now(),
        createdBy: request.session?.owner ?? '',
      };
      if (!(await store.addWebhook(webhook))) {
        throw new Failure('conflict', 'There are too many webhooks.', { hint: 'Delete one that is not needed.' });
      }
      await record(request, 'webhook_created', webhook);
      queue.wake();
      return { webhook: toWebhookView(webhook, null), secret: webhook.secret };
    },
    removeWebhook: async ({ request, id }) => {
      const webhook = await webhookOf(request, id);
      await store.removeWebhook(webhook.id);
      await record(request, 'webhook_deleted', webhook);
      return { deleted: true };
    },
    rotateWebhook: async ({ request, id }) => {
      const webhook = await webhookOf(request, id);
      const secret = createSecret();
      const rotated = (await store.rotateWebhook(webhook.id, secret, Date.now() + dayMs)) ?? webhook;
      await record(request, 'webhook_secret_rotated', webhook);
      return { webhook: await viewOf(rotated), secret };
    },
  } satisfies Partial<Handlers>;
}

/** 256 bits, in the form of Standard Webhooks. */
function createSecret(): string {
  return secretPrefix + randomBytes(32).toString('base64');
}

/** The address of a receiver. Names are resolved, and checked, at each delivery. */
function requireReceiver(text: string, allowed: Networks): string {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : null;
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (url !== null && isHttp && url.username === '' && url.password === '' && url.hash === '') {
    if (isForbiddenLiteral(url, allowed)) throw new Failure('bad_input', privateAddressReason);
    return url.href;
  }
  throw new Failure('bad_input', 'This is not a valid webhook URL.', {
    hint: 'Give an http or https address without user name, password and fragment.',
  });
}

function toWebhookView(
  { id, url, events, createdAt, oldSecretUntil }: WebhookRecord,
  last: DeliveryRecord | null,
): WebhookView {
  const isOldValid = (oldSecretUntil ?? 0) > Date.now();
  return {
    id,
    url,
    events: [...events],
    created_at: new Date(createdAt).toISOString(),
    old_secret_until: isOldValid ? new Date(oldSecretUntil ?? 0).toISOString() : null,
    last_delivery: last && {
      state: last.state,
      error: last.state === 'delivered' ? null : last.lastError,
      at: new Date(last.createdAt).toISOString(),
    },
  };
}
