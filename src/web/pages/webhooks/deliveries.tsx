import { formatAmount } from '../../../model/amount.js';
import { safeText } from '../../../model/text/safe-text.js';
import { UntrustedText } from '../../../report/components/domain-name.js';
import { Table } from '../../../report/components/panel.js';
import type { DeliveryView, WebhookView } from '../../../wire/app-webhooks.js';
import { Button } from '../../parts/button.js';
import { ProblemNote, RemoteContent } from '../../parts/remote-content.js';
import { RelativeTime } from '../../parts/time.js';
import { call } from '../../server/call.js';
import { useAction, useAnswer } from '../../server/use-answer.js';

const tones: Record<DeliveryView['state'], string> = { delivered: 'valid', pending: 'unknown', failed: 'invalid' };

/** The state of a delivery. A pending one that was tried has failed, and is retried. */
export function DeliveryBadge({ state, isTried }: { state: DeliveryView['state']; isTried: boolean }) {
  if (state === 'pending' && isTried) return <span class="badge risky">retrying</span>;
  return <span class={`badge ${tones[state]}`}>{state}</span>;
}

/** The latest deliveries of a webhook, and their replay. */
export function Deliveries({ webhook, onClose }: { webhook: WebhookView; onClose: () => void }) {
  const { id: webhookId, url } = webhook;
  const list = useAnswer(
    `deliveries ${webhookId}`,
    (signal) => call('listDeliveries', { id: webhookId, signal }),
    ({ deliveries }) => (deliveries.some(({ state }) => state === 'pending') ? 2_000 : 15_000),
  );
  const replay = useAction(async (signal, delivery: string) => {
    list.setAnswer(await call('replayDelivery', { id: webhookId, body: { delivery }, signal }));
    // Something is pending: poll at its interval from now on.
    list.refresh();
  });
  return (
    <section class="panel" aria-label="Deliveries">
      <div class="space-between">
        <h2>Deliveries</h2>
        <Button kind="quiet" label="Close the deliveries" onClick={onClose}>
          ✕
        </Button>
      </div>
      <p class="muted">
        To <UntrustedText text={url} class="breaks" />
      </p>
      <ProblemNote problem={replay.problem} />
      <RemoteContent remote={list}>
        {({ deliveries }) =>
          deliveries.length === 0 ? (
            <p class="muted empty">There were no deliveries in the last 30 days.</p>
          ) : (
            <Table
              caption="Deliveries"
              stacks
              head={
                <>
                  <th>When</th>
                  <th>Event</th>
                  <th>State</th>
                  <th>Error</th>
                  <th>
                    <span class="visually-hidden">Send again</span>
                  </th>
                </>
              }
            >
              {deliveries.map((delivery) => (
                <DeliveryRow key={delivery.id} delivery={delivery} onReplay={() => void replay.start(delivery.id)} />
              ))}
            </Table>
          )
        }
      </RemoteContent>
    </section>
  );
}

function DeliveryRow({ delivery, onReplay }: { delivery: DeliveryView; onReplay: () => void }) {
  const { event, state, attempts, created_at: created, next_at: next, error, id } = delivery;
  return (
    <tr>
      <td class="tight">
        <RelativeTime at={created} />
      </td>
      <td data-label="Event" title={id}>
        {event}
      </td>
      <td>
        <DeliveryBadge state={state} isTried={attempts > 0} />
      </td>
      <td class="breaks" data-label="Error">
        {error !== null && safeText(error)}
        {next !== null && attempts > 0 && (
          <span class="muted">
            {' '}
            {formatAmount(attempts, 'attempt')}; next <RelativeTime at={next} />
          </span>
        )}
      </td>
      <td class="number">
        {state !== 'pending' && (
          <Button kind="quiet" label={`Send again: ${event}`} onClick={onReplay}>
            Send again
          </Button>
        )}
      </td>
    </tr>
  );
}
