import { useEffect, useRef, useState } from 'preact/hooks';
import { formatAmount } from '../../../model/amount.js';
import { isTestKey, sandboxDomain } from '../../../model/sandbox.js';
import { localDate } from '../../../model/text/time.js';
import { UntrustedText } from '../../../report/components/domain-name.js';
import type { AppKey, KeyChange } from '../../../wire/app-server.js';
import { Button, CopyButton } from '../../parts/button.js';
import { FormDialog } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { asCurl } from '../../parts/shell-line.js';
import { call } from '../../server/call.js';
import { type Action, useAction } from '../../server/use-answer.js';
import { useSession } from '../../session.js';

interface KeyDialogProps {
  apiKey: AppKey;
  onClose: () => void;
  onDone: () => void;
}

export function RenameKey({ apiKey, onClose, onDone }: KeyDialogProps) {
  const [name, setName] = useState(apiKey.name);
  const change = useChange(apiKey, onDone, () => ({ name: name.trim() }));
  return (
    <FormDialog title="Rename key" button="Rename" action={change} onClose={onClose}>
      <Field label="Name" value={name} onInput={setName} autoFocus required maxLength={100} />
    </FormDialog>
  );
}

export function AddCredits({ apiKey, onClose, onDone }: KeyDialogProps) {
  const [credits, setCredits] = useState('');
  const change = useChange(apiKey, onDone, () => ({ add_credits: Number(credits) }));
  return (
    <FormDialog title="Add credits" button="Add" action={change} onClose={onClose}>
      <p>
        <UntrustedText text={apiKey.name} class="breaks strong" /> has {formatAmount(apiKey.credits ?? 0, 'credit')}{' '}
        left.
      </p>
      <Field
        label="Credits to add"
        type="number"
        value={credits}
        onInput={setCredits}
        autoFocus
        required
        min={1}
        max={1_000_000_000}
      />
    </FormDialog>
  );
}

export function ChangeExpiry({ apiKey, onClose, onDone }: KeyDialogProps) {
  const [day, setDay] = useState(apiKey.expires_at === null ? '' : localDate(Date.parse(apiKey.expires_at)));
  const change = useChange(apiKey, onDone, () => ({ expires_at: day === '' ? null : endOfDay(day) }));
  return (
    <FormDialog title="Change expiry" button="Change" action={change} onClose={onClose}>
      <p>
        <UntrustedText text={apiKey.name} class="breaks strong" />
      </p>
      <Field
        label="Valid until"
        type="date"
        value={day}
        onInput={setDay}
        autoFocus
        min={today()}
        hint="The end of that day. Empty: until you revoke it."
      />
    </FormDialog>
  );
}

export function RevokeKey({ apiKey, onClose, onDone }: KeyDialogProps) {
  const revoke = useAction(async (signal) => {
    await call('revokeKey', { id: apiKey.id, signal });
    onDone();
  });
  return (
    <FormDialog title="Revoke this key?" button="Revoke" danger action={revoke} onClose={onClose}>
      <p>
        Programs that use <UntrustedText text={apiKey.name} class="breaks strong" /> (
        <span class="mono">{apiKey.prefix}…</span>) are refused from now on. A revoked key cannot be restored.
      </p>
    </FormDialog>
  );
}

function useChange({ id }: AppKey, onDone: () => void, change: () => KeyChange): Action<[]> {
  return useAction(async (signal) => {
    await call('changeKey', { id, body: change(), signal });
    onDone();
  });
}

interface CreatedKey {
  key: string;
  record: AppKey;
}

export function NewKey({ onClose, onCreated }: { onClose: () => void; onCreated: (created: CreatedKey) => void }) {
  const isAdmin = useSession().session.who.kind === 'admin';
  const [name, setName] = useState('');
  const [plan, setPlan] = useState('');
  const [credits, setCredits] = useState('');
  const [expiry, setExpiry] = useState('');
  const [isTest, setIsTest] = useState(false);
  const create = useAction(async (signal) => {
    const body = {
      name: name.trim(),
      ...(plan.trim() !== '' && { plan: plan.trim() }),
      credits: credits === '' || isTest ? null : Number(credits),
      expires_at: expiry === '' ? null : endOfDay(expiry),
      ...(isTest && { test: true }),
    };
    onCreated(await call('createKey', { body, signal }));
  });
  return (
    <FormDialog title="New key" button="Create key" action={create} onClose={onClose}>
      <Field
        label="Name"
        value={name}
        onInput={setName}
        autoFocus
        required
        maxLength={100}
        hint="Say which program uses it, e.g. signup form."
      />
      {isAdmin && (
        <>
          <Field label="Plan" value={plan} onInput={setPlan} maxLength={100} placeholder="self-hosted" />
          {!isTest && (
            <Field
              label="Credits"
              type="number"
              value={credits}
              onInput={setCredits}
              min={0}
              max={1_000_000_000}
              placeholder="no limit"
              hint="One per checked address. Empty: no limit."
            />
          )}
        </>
      )}
      <Field
        label="Valid until"
        type="date"
        value={expiry}
        onInput={setExpiry}
        min={today()}
        hint="The end of that day. Empty: until you revoke it."
      />
      <div class="field">
        <label class="choice">
          <input type="checkbox" checked={isTest} onChange={() => setIsTest(!isTest)} />
          Test key
        </label>
        <p class="muted small">For test suites: free, and answered only for addresses at {sandboxDomain}.</p>
      </div>
    </FormDialog>
  );
}

/** Shows a new key, once. */
export function CreatedKeyPanel({ created: { key, record }, onClose }: { created: CreatedKey; onClose: () => void }) {
  const section = useRef<HTMLElement>(null);
  const example = isTestKey(record) ? `valid@${sandboxDomain}` : 'ada@python.org';
  useEffect(() => section.current?.focus(), []);
  return (
    <section class="panel fresh" aria-label="The new key" ref={section} tabIndex={-1}>
      <div class="space-between">
        <h2>
          “<UntrustedText text={record.name} class="breaks" />” is ready. Copy it now: it is not shown again.
        </h2>
        <Button kind="quiet" label="Close: the key is not shown again" onClick={onClose}>
          ✕
        </Button>
      </div>
      <div class="copy-line">
        <code class="breaks">{key}</code>
        <CopyButton text={key}>Copy</CopyButton>
      </div>
      <div class="copy-line">
        <code class="breaks">{asCurl(location.origin, example, `${record.prefix}…`)}</code>
        <CopyButton text={asCurl(location.origin, example, key)}>Copy curl</CopyButton>
      </div>
    </section>
  );
}

/** The last moment of a local day, as ISO 8601. */
function endOfDay(day: string): string {
  return new Date(`${day}T23:59:59`).toISOString();
}

function today(): string {
  return localDate(Date.now());
}
