import { createHmac } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { WebhookRecord } from '../../jobs/store/webhooks.js';
import { createGuardedLookup, forbiddenAddressCode } from '../../net/guarded-lookup.js';
import { parseIp } from '../../net/ip-address.js';
import { isAllowedAddress, type Networks } from '../../net/ip-range.js';

/** A message to a receiver. */
interface WebhookMessage {
  id: string;
  payload: string;
}

/** `status` null: there was no response, for the reason in `error`. */
export interface SendOutcome {
  status: number | null;
  error: string | null;
  /** Another process may send it, so that this was no attempt. */
  isLeftToOthers?: boolean;
}

export type SendWebhook = (
  webhook: Pick<WebhookRecord, 'url' | 'secret' | 'oldSecret' | 'oldSecretUntil'>,
  message: WebhookMessage,
  now: number,
) => Promise<SendOutcome>;

const defaultTimeoutMs = 15_000;

/** Sends once; follows no redirect, and connects to private addresses only in the allowed networks. */
export function createWebhookSender(allowed: Networks, timeoutMs = defaultTimeoutMs): SendWebhook {
  const lookup = createGuardedLookup(allowed);
  return (webhook, message, now) =>
    new Promise((resolve) => {
      const url = new URL(webhook.url);
      // Node looks up no literal address.
      if (isForbiddenLiteral(url, allowed)) {
        resolve({ status: null, error: privateAddressReason });
        return;
      }
      const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
      const signal = AbortSignal.timeout(timeoutMs);
      const request = send(
        url,
        { method: 'POST', lookup, agent: false, signal, headers: headersOf(webhook, message, now) },
        (response) => {
          const status = response.statusCode ?? 0;
          // The body is not needed and may never end.
          response.destroy();
          resolve({ status, error: errorOf(status) });
        },
      );
      const switched = { status: 101, error: errorOf(101) };
      request.on('upgrade', (_response, socket) => {
        socket.destroy();
        resolve(switched);
      });
      // Node may close a request without a response or an error.
      request.on('close', () => resolve({ status: null, error: reasonOf('ECONNRESET') }));
      request.on('error', (error: NodeJS.ErrnoException) =>
        resolve({ status: null, error: signal.aborted ? reasonOf('ETIMEDOUT') : reasonOf(error.code) }),
      );
      request.end(message.payload);
    });
}

/** True for a URL with a literal address that must not be contacted. */
export function isForbiddenLiteral({ hostname }: URL, allowed: Networks): boolean {
  const literal = hostname.replace(/^\[|\]$/g, '');
  return parseIp(literal) !== null && !isAllowedAddress(literal, allowed);
}

/** The headers of Standard Webhooks 1.0: the id stays the same in retries, the time is that of the attempt. */
function headersOf(
  webhook: Parameters<SendWebhook>[0],
  { id, payload }: WebhookMessage,
  now: number,
): Record<string, string | number> {
  const timestamp = Math.floor(now / 1000);
  const isOldValid = webhook.oldSecret !== null && now < (webhook.oldSecretUntil ?? 0);
  const secrets = [webhook.secret, ...(isOldValid && webhook.oldSecret !== null ? [webhook.oldSecret] : [])];
  return {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(payload),
    'user-agent': `mailvet/${__VERSION__}`,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => signatureOf(secret, id, timestamp, payload)).join(' '),
  };
}

export const secretPrefix = 'whsec_';

/** Standard Webhooks, "signature scheme": HMAC-SHA256 over id, time and body, keyed with the decoded secret. */
function signatureOf(secret: string, id: string, timestamp: number, payload: string): string {
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${payload}`).digest('base64')}`;
}

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `It redirects (HTTP ${status}), which is not followed.`;
  return `It answered with HTTP ${status}.`;
}

export const privateAddressReason =
  'The address is private. The operator can allow its network with the setting serve.webhook_networks.';

const reasons: Partial<Record<string, string>> = {
  [forbiddenAddressCode]: privateAddressReason,
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was reset.',
  ENOTFOUND: 'There is no such host name.',
  EAI_AGAIN: 'The host name could not be resolved.',
  ETIMEDOUT: 'It did not answer in time.',
};

function reasonOf(code: string | undefined): string {
  if (code?.startsWith('HPE_')) return 'Its answer is not HTTP.';
  if (code !== undefined && /CERT|TLS|SSL|EPROTO/.test(code)) return `TLS failed (${code}).`;
  return reasons[code ?? ''] ?? `The request failed (${code ?? 'unknown reason'}).`;
}
