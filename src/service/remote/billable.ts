import { formatAmount } from '../../model/amount.js';
import { Failure } from '../../model/failure.js';
import { emptyVerdict, itemOf, type Job } from '../../model/job.js';
import type { BulkItem, ValidationResult } from '../../model/result.js';
import { parseJson } from '../../wire/fields.js';
import { errorText } from '../../wire/problem.js';

/** The items of a request by the index of their address; null or missing without an answer. */
export type BulkItems = (BulkItem | ValidationResult | null)[];

type SendBatch = (batch: readonly string[], stop: AbortSignal, kill: AbortSignal) => Promise<BulkItems>;

/** A service that has refused this many addresses, and answered for none, does not understand the request. */
const maxRefusedAddresses = 3;

/**
 * Sends batches and fills in their items. A batch that the service refuses is halved until the addresses that it does
 * not accept are found, so that they do not stop the others.
 */
export function createBatchSender(send: SendBatch) {
  let hasAnswered = false;
  let refusedCount = 0;
  const sendPart = async (
    batch: readonly string[],
    items: BulkItems,
    from: number,
    ...signals: [AbortSignal, AbortSignal]
  ): Promise<void> => {
    try {
      const answered = await send(batch, ...signals);
      hasAnswered = true;
      for (const [index, item] of answered.entries()) items[from + index] = item;
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'bad_input') throw error;
      if (batch.length === 1) {
        refusedCount++;
        if (!hasAnswered && refusedCount >= maxRefusedAddresses) throw error;
        const verdict = { ...emptyVerdict, status: 'unknown', sub_status: 'refused_by_service' };
        items[from] = itemOf(batch[0] ?? '', verdict);
        return;
      }
      const middle = Math.ceil(batch.length / 2);
      await sendPart(batch.slice(0, middle), items, from, ...signals);
      await sendPart(batch.slice(middle), items, from + middle, ...signals);
      if (!hasAnswered) throw error;
    }
  };
  return async (batch: readonly string[], items: BulkItems, stop: AbortSignal, kill: AbortSignal): Promise<void> => {
    if (batch.length > 1 || hasAnswered) return sendPart(batch, items, 0, stop, kill);
    for (const [index, item] of (await send(batch, stop, kill)).entries()) items[index] = item;
    hasAnswered = true;
  };
}

/** Decodes the answer to a request that costs credits. An unusable answer may have been charged, too. */
export function decodeCharged<Answer>(text: string, credits: number, decode: (value: unknown) => Answer): Answer {
  try {
    return decode(parseJson(text));
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'bad_answer') throw error;
    const errorMessage = errorIn(text);
    const problem =
      errorMessage === '' ? error.message : `The service answered with an error (HTTP 200): ${errorMessage}`;
    const charge = credits === 0 ? '' : ` (${formatAmount(credits, 'credit')})`;
    throw new Failure('bad_answer', `${problem.replace(/\.?$/, '.')} The request may have been charged${charge}.`, {
      hint: (errorMessage === '' && error.hint) || 'Check the credits of the account before sending it again.',
      cause: error,
    });
  }
}

/** The error in an answer that reports success; empty if it contains none. */
function errorIn(text: string): string {
  try {
    const body = parseJson(text);
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
    return isObject ? errorText(body) : '';
  } catch {
    return '';
  }
}

/** Clocks of other machines differ. */
const maxSkewMs = 5 * 60_000;

/** True for the job of an upload that was confirmed at a time: by its upload, or else by its file and time. */
export function isJobOf(job: Job, uploadId: string, filename: string | undefined, confirmedAt: number): boolean {
  const upload: unknown = Reflect.get(job, 'upload_id');
  if (upload !== undefined) return upload === uploadId;
  return (
    filename !== undefined && job.filename === filename && Date.parse(job.created_at ?? '') >= confirmedAt - maxSkewMs
  );
}

/** Reserves credits, up to `maxCredits`. */
export function createCreditLimit(maxCredits: number | undefined) {
  let remaining = maxCredits ?? Number.POSITIVE_INFINITY;
  const afford = (count: number) => {
    const allowed = Math.min(count, remaining);
    remaining -= allowed;
    return allowed;
  };
  const spend = (count: number) => {
    if (afford(count) < count)
      throw new Failure('no_credits', 'This would cost more credits than --max-credits allows.');
  };
  return { afford, spend };
}
