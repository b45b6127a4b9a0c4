import type { HostKnowledge } from '../host-knowledge.js';
import type { ProbeAnswer, Prober } from './prober.js';

/** A host that refused this many mailboxes in both spellings hardly distinguishes them. */
const maxRefusedInBoth = 3;

/**
 * Asks once more in lower case for a mailbox that was refused with capitals: a host may distinguish them (RFC 5321 §2.4),
 * and all spellings of an address share one answer.
 */
export function withLowerCaseRetry(probe: Prober['probe'], knowledge: HostKnowledge): Prober['probe'] {
  const refusedInBoth = knowledge.open<number>('refused_in_lower_case');
  return async (request, caller) => {
    const first = await probe(request, caller);
    const { host } = first.mailbox;
    const localPart = request.address.localPart.toLowerCase();
    if (localPart === request.address.localPart || !isRefused(first) || host === null) return first;
    const refusals = (): number => refusedInBoth.get(host) ?? 0;
    if (refusals() >= maxRefusedInBoth) return first;
    const second = await probe({ ...request, address: { ...request.address, localPart } }, caller);
    if (isRefused(second)) {
      refusedInBoth.set(host, refusals() + 1);
      return first;
    }
    // This host distinguishes them.
    if (second.mailbox.outcome.state === 'passed') refusedInBoth.set(host, Number.NEGATIVE_INFINITY);
    const dialogue = [...first.mailbox.dialogue, ...second.mailbox.dialogue];
    return { ...second, mailbox: { ...second.mailbox, dialogue } };
  };
}

function isRefused({ mailbox: { outcome } }: ProbeAnswer): boolean {
  return outcome.state === 'failed' && outcome.reason === 'mailbox_not_found';
}
