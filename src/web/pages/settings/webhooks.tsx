import { useState } from 'preact/hooks';
import { safeText } from '../../../model/text/safe-text.js';
import { UntrustedText } from '../../../report/components/domain-name.js';
import type { Column } from '../../../report/components/panel.js';
import { type CreatedWebhook, type WebhookView, webhookEvents } from '../../../wire/app.js';
import { limits } from '../../../wire/schema.js';
import { Button } from '../../parts/button.js';
import { FormDialog } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { PageHead } from '../../parts/page-head.js';
import { ProblemNote } from '../../parts/remote-content.js';
import { ShownOnce } from '../../parts/shown-once.js';
import { ConfirmDialog, changeColumn, type DialogState, Things, useDialog } from '../../parts/things.js';
import { RelativeTime } from '../../parts/time.js';
import { call } from '../../server/call.js';
import { useAction, useAnswer } from '../../server/use-answer.js';

const eventTexts: Record<(typeof webhookEvents)[number], string> = {
  'job.completed': 'A list is done',
  'job.failed': 'A list has failed',
};

/** The receivers of events, with the last result of each. */
export function WebhooksSection() {
  const list = useAnswer(
    'webhooks',
    (signal) => call('listWebhooks', { signal }),
    ({ webhooks }) => (webhooks.length > 0 ? 5_000 : null),
  );
  const within = useDialog(list.refresh);
  const [created, setCreated] = useState<CreatedWebhook | null>(null);
  const showSecret = (made: CreatedWebhook): void => {
    setCreated(made);
    within.done();
  };
  const rotate = useAction(async (signal, id: string) => showSecret(await call('rotateWebhook', { id, signal })));
  const change = changeColumn<WebhookView>(
    ({ url }) => url,
    (webhook) => [
      ['New secret', () => void rotate.start(webhook.id)],
      ['Delete…', () => within.open(<RemoveWebhook webhook={webhook} within={within} />), 'danger'],
    ],
  );
  return (
    <>
      <PageHead
        title="Webhooks"
        description="Notifies your programs when a list is done. Deliveries are signed as in Standard Webhooks."
      >
        <Button kind="main" onClick={() => within.open(<AddWebhook onClose={within.close} onCreated={showSecret} />)}>
          New webhook
        </Button>
      </PageHead>
      <ProblemNote problem={rotate.problem} />
      {created !== null && <SecretPanel key={created.secret} created={created} onClose={() => setCreated(null)} />}
      <Things
        name="Webhooks"
        remote={list}
        rowsOf={({ webhooks }) => webhooks}
        empty={['There is no webhook yet.', 'Add the URL of a program that should be notified when a list is done.']}
        allowOverflow
        columns={[...columns, change]}
        keyOf={({ id }) => id}
      />
      {within.dialog}
    </>
  );
}

const columns: Column<WebhookView>[] = [
  { name: 'Address', class: 'breaks strong url', isBare: true, cell: ({ url }) => <UntrustedText text={url} /> },
  { name: 'Events', class: 'breaks', cell: ({ events }) => events.join(', ') },
  { name: 'Created', class: 'tight', cell: (webhook) => <RelativeTime at={webhook.created_at} /> },
  { name: 'Last delivery', class: 'breaks', cell: (webhook) => <LastDelivery webhook={webhook} /> },
];

/** A pending delivery that was tried has failed, and is retried. */
function LastDelivery({ webhook: { last_delivery: last } }: { webhook: WebhookView }) {
  if (last === null) return <span class="muted">none yet</span>;
  const { state, error, at } = last;
  const tone = { delivered: 'valid', pending: 'risky', failed: 'invalid' }[state];
  return (
    <>
      <span class={`badge ${tone}`}>{state === 'pending' ? 'retrying' : state}</span>{' '}
      {error !== null && safeText(error)}{' '}
      <span class="muted small">
        <RelativeTime at={at} />
      </span>
    </>
  );
}

/** Shows a secret, once. */
function SecretPanel({ created: { webhook, secret }, onClose }: { created: CreatedWebhook; onClose: () => void }) {
  return (
    <ShownOnce
      name="The secret"
      title="Copy the signing secret now: it is not shown again."
      lines={[{ text: secret, button: 'Copy' }]}
      onClose={onClose}
    >
      <p class="muted">
        For <UntrustedText text={webhook.url} class="breaks" />
        {webhook.old_secret_until !== null && '. Deliveries are signed with the old one, too, until tomorrow.'}
      </p>
    </ShownOnce>
  );
}

function AddWebhook({ onClose, onCreated }: { onClose: () => void; onCreated: (created: CreatedWebhook) => void }) {
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<readonly (typeof webhookEvents)[number][]>(webhookEvents);
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
        limits={limits.url}
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

function RemoveWebhook({ webhook: { id, url }, within }: { webhook: WebhookView; within: DialogState }) {
  const work = (signal: AbortSignal) => call('removeWebhook', { id, signal });
  return (
    <ConfirmDialog title="Delete this webhook?" button="Delete" cancel="Keep" {...{ work, within }}>
      <p>
        <UntrustedText text={url} class="breaks strong" /> receives no more events.
      </p>
    </ConfirmDialog>
  );
}
