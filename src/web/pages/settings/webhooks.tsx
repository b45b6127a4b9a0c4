import { useState } from 'preact/hooks';
import { safeText } from '../../../model/text/safe-text.js';
import { UntrustedText } from '../../../report/components/domain-name.js';
import { type Column, Table } from '../../../report/components/panel.js';
import { type CreatedWebhook, type WebhookView, webhookEvents } from '../../../wire/app.js';
import { limits } from '../../../wire/schema.js';
import { Button } from '../../parts/button.js';
import { FormDialog } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { Menu } from '../../parts/menu.js';
import { PageHead } from '../../parts/page-head.js';
import { ProblemNote, RemoteContent } from '../../parts/remote-content.js';
import { MenuItem, ShownOnce } from '../../parts/shown-once.js';
import { RelativeTime } from '../../parts/time.js';
import { call } from '../../server/call.js';
import { useAction, useAnswer } from '../../server/use-answer.js';

type Question = { action: 'add' } | { action: 'remove'; webhook: WebhookView } | null;

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
  const [question, setQuestion] = useState<Question>(null);
  const [created, setCreated] = useState<CreatedWebhook | null>(null);
  const close = (): void => setQuestion(null);
  const showSecret = (made: CreatedWebhook): void => {
    setCreated(made);
    close();
    list.refresh();
  };
  const rotate = useAction(async (signal, id: string) => showSecret(await call('rotateWebhook', { id, signal })));
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
      <ProblemNote problem={rotate.problem} />
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
                onRotate={(id) => void rotate.start(id)}
                onRemove={(webhook) => setQuestion({ action: 'remove', webhook })}
              />
            )}
          </section>
        )}
      </RemoteContent>
      {question?.action === 'add' && <AddWebhook onClose={close} onCreated={showSecret} />}
      {question?.action === 'remove' && (
        <RemoveWebhook
          webhook={question.webhook}
          onClose={close}
          onDone={() => {
            close();
            list.refresh();
          }}
        />
      )}
    </>
  );
}

interface WebhookTableProps {
  webhooks: readonly WebhookView[];
  onRotate: (id: string) => void;
  onRemove: (webhook: WebhookView) => void;
}

function WebhookTable({ webhooks, onRotate, onRemove }: WebhookTableProps) {
  const columns: Column<WebhookView>[] = [
    { name: 'Address', class: 'breaks strong url', isBare: true, cell: ({ url }) => <UntrustedText text={url} /> },
    { name: 'Events', class: 'breaks', cell: ({ events }) => events.join(', ') },
    { name: 'Created', class: 'tight', cell: (webhook) => <RelativeTime at={webhook.created_at} /> },
    { name: 'Last delivery', class: 'breaks', cell: (webhook) => <LastDelivery webhook={webhook} /> },
    {
      ...{ name: 'Change', class: 'number', isHidden: true },
      cell: (webhook) => (
        <Menu name={`Change ${webhook.url}`} label="⋯">
          <MenuItem onClick={() => onRotate(webhook.id)}>New secret</MenuItem>
          <MenuItem danger onClick={() => onRemove(webhook)}>
            Delete…
          </MenuItem>
        </Menu>
      ),
    },
  ];
  return <Table caption="Webhooks" stacks allowOverflow columns={columns} rows={webhooks} keyOf={({ id }) => id} />;
}

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
        <UntrustedText text={webhook.url} class="breaks strong" /> receives no more events.
      </p>
    </FormDialog>
  );
}
