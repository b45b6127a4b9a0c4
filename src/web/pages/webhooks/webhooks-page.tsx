import { useEffect, useRef, useState } from 'preact/hooks';
import { formatAmount } from '../../../model/amount.js';
import { safeText } from '../../../model/text/safe-text.js';
import { UntrustedText } from '../../../report/components/domain-name.js';
import { Table } from '../../../report/components/panel.js';
import { type CreatedWebhook, type WebhookView, webhookEvents } from '../../../wire/app-webhooks.js';
import { Button, CopyButton } from '../../parts/button.js';
import { FormDialog } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { Menu } from '../../parts/menu.js';
import { PageHead } from '../../parts/page-head.js';
import { ProblemNote, RemoteContent } from '../../parts/remote-content.js';
import { RelativeTime } from '../../parts/time.js';
import { call } from '../../server/call.js';
import { useAction, useAnswer } from '../../server/use-answer.js';
import { Deliveries, DeliveryBadge } from './deliveries.js';

type Question = { action: 'add' } | { action: 'remove'; webhook: WebhookView } | null;

const eventTexts: Record<(typeof webhookEvents)[number], string> = {
  'job.completed': 'A list is done',
  'job.failed': 'A list has failed',
  'credits.low': 'A key has less than a tenth of its credits left',
  'key.expiring': 'A key expires within a week',
};

/** The receivers of events, and the log of deliveries. */
export function WebhooksPage() {
  const list = useAnswer(
    'webhooks',
    (signal) => call('listWebhooks', { signal }),
    ({ webhooks }) => (webhooks.length > 0 ? 5_000 : null),
  );
  const [question, setQuestion] = useState<Question>(null);
  const [created, setCreated] = useState<CreatedWebhook | null>(null);
  const [shownId, setShownId] = useState<string | null>(null);
  const shown = list.answer?.webhooks.find(({ id }) => id === shownId);
  const close = (): void => setQuestion(null);
  const showSecret = (made: CreatedWebhook): void => {
    setCreated(made);
    close();
    list.refresh();
  };
  const rotate = useAction(async (signal, id: string) => showSecret(await call('rotateWebhook', { id, signal })));
  const test = useAction(async (signal, id: string) => {
    await call('testWebhook', { id, signal });
    setShownId(id);
  });
  return (
    <>
      <PageHead
        title="Webhooks"
        description="Notifies your programs when a list is done. Deliveries are signed as in Standard Webhooks."
      >
        <Button kind="main" onClick={() => setQuestion({ action: 'add' })}>
          New webhook
        </Button>
      </PageHead>
      <ProblemNote problem={rotate.problem ?? test.problem} />
      {created !== null && <SecretPanel key={created.secret} created={created} onClose={() => setCreated(null)} />}
      <RemoteContent remote={list}>
        {({ webhooks }) => (
          <section class="panel" aria-label="Webhooks">
            {webhooks.length === 0 ? (
              <div class="empty">
                <p>There is no webhook yet.</p>
                <p class="muted">Add the URL of a program that should be notified when a list is done.</p>
              </div>
            ) : (
              <WebhookTable
                webhooks={webhooks}
                onShow={setShownId}
                onTest={(id) => void test.start(id)}
                onRotate={(id) => void rotate.start(id)}
                onRemove={(webhook) => setQuestion({ action: 'remove', webhook })}
              />
            )}
          </section>
        )}
      </RemoteContent>
      {shown !== undefined && <Deliveries key={shown.id} webhook={shown} onClose={() => setShownId(null)} />}
      {question?.action === 'add' && <AddWebhook onClose={close} onCreated={showSecret} />}
      {question?.action === 'remove' && (
        <RemoveWebhook
          webhook={question.webhook}
          onClose={close}
          onDone={() => {
            close();
            setShownId(null);
            list.refresh();
          }}
        />
      )}
    </>
  );
}

interface WebhookTableProps {
  webhooks: readonly WebhookView[];
  onShow: (id: string) => void;
  onTest: (id: string) => void;
  onRotate: (id: string) => void;
  onRemove: (webhook: WebhookView) => void;
}

function WebhookTable({ webhooks, onShow, onTest, onRotate, onRemove }: WebhookTableProps) {
  return (
    <Table
      caption="Webhooks"
      stacks
      allowOverflow
      head={
        <>
          <th>Address</th>
          <th>Events</th>
          <th>Created</th>
          <th>Last delivery</th>
          <th>
            <span class="visually-hidden">Change</span>
          </th>
        </>
      }
    >
      {webhooks.map((webhook) => (
        <tr key={webhook.id}>
          <td class="breaks strong url">
            <UntrustedText text={webhook.url} />
          </td>
          <td class="breaks" data-label="Events">
            {webhook.events.join(', ')}
          </td>
          <td class="tight" data-label="Created">
            <RelativeTime at={webhook.created_at} />
          </td>
          <td class="breaks" data-label="Last delivery">
            <LastDelivery webhook={webhook} />
          </td>
          <td class="number">
            <Menu name={`Change ${webhook.url}`} label="⋯">
              <button type="button" onClick={() => onShow(webhook.id)}>
                Deliveries
              </button>
              <button type="button" onClick={() => onTest(webhook.id)}>
                Send a test
              </button>
              <button type="button" onClick={() => onRotate(webhook.id)}>
                New secret
              </button>
              <button type="button" class="text-invalid" onClick={() => onRemove(webhook)}>
                Delete…
              </button>
            </Menu>
          </td>
        </tr>
      ))}
    </Table>
  );
}

function LastDelivery({ webhook: { last_delivery: last, failing_count: failing } }: { webhook: WebhookView }) {
  if (last === null) return <span class="muted">none yet</span>;
  return (
    <>
      <DeliveryBadge state={last.state} isTried /> {last.error !== null && safeText(last.error)}
      {failing > 0 && <p class="muted small">{formatAmount(failing, 'event')} of the last day not delivered</p>}
    </>
  );
}

/** Shows a secret, once. */
function SecretPanel({ created: { webhook, secret }, onClose }: { created: CreatedWebhook; onClose: () => void }) {
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.focus(), []);
  return (
    <section class="panel fresh" aria-label="The secret" ref={section} tabIndex={-1}>
      <div class="space-between">
        <h2>Copy the signing secret now: it is not shown again.</h2>
        <Button kind="quiet" label="Close: the secret is not shown again" onClick={onClose}>
          ✕
        </Button>
      </div>
      <p class="muted">
        For <UntrustedText text={webhook.url} class="breaks" />
      </p>
      <div class="copy-line">
        <code class="breaks">{secret}</code>
        <CopyButton text={secret}>Copy</CopyButton>
      </div>
      {webhook.old_secret_until !== null && (
        <p class="muted small">Deliveries are signed with the old one, too, until tomorrow.</p>
      )}
    </section>
  );
}

function AddWebhook({ onClose, onCreated }: { onClose: () => void; onCreated: (created: CreatedWebhook) => void }) {
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<readonly string[]>(['job.completed', 'job.failed']);
  const add = useAction(async (signal) =>
    onCreated(await call('addWebhook', { body: { url: url.trim(), events: [...events] }, signal })),
  );
  return (
    <FormDialog title="New webhook" button="Create webhook" action={add} onClose={onClose}>
      <Field
        label="Address"
        value={url}
        onInput={setUrl}
        autoFocus
        required
        maxLength={2_000}
        placeholder="https://example.com/hooks/mailvet"
      />
      <fieldset class="field">
        <legend>Events</legend>
        {webhookEvents.map((event) => (
          <label key={event} class="choice">
            <input
              type="checkbox"
              checked={events.includes(event)}
              onChange={() =>
                setEvents(events.includes(event) ? events.filter((each) => each !== event) : [...events, event])
              }
            />
            {eventTexts[event]}
          </label>
        ))}
      </fieldset>
    </FormDialog>
  );
}

function RemoveWebhook({
  webhook,
  onClose,
  onDone,
}: {
  webhook: WebhookView;
  onClose: () => void;
  onDone: () => void;
}) {
  const remove = useAction(async (signal) => {
    await call('removeWebhook', { id: webhook.id, signal });
    onDone();
  });
  return (
    <FormDialog title="Delete this webhook?" button="Delete" cancel="Keep" danger action={remove} onClose={onClose}>
      <p>
        <UntrustedText text={webhook.url} class="breaks strong" /> receives no more events, and its log of deliveries is
        deleted.
      </p>
    </FormDialog>
  );
}
