import { useState } from 'preact/hooks';
import { isTestKey, sandboxDomain } from '../../../model/sandbox.js';
import { localDate } from '../../../model/text/time.js';
import { UntrustedText } from '../../../report/components/domain-name.js';
import type { AppKey } from '../../../wire/app.js';
import { limits } from '../../../wire/schema.js';
import { FormDialog } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { asCurl } from '../../parts/shell-line.js';
import { ShownOnce } from '../../parts/shown-once.js';
import { ConfirmDialog, type DialogState } from '../../parts/things.js';
import { call } from '../../server/call.js';
import { useAction } from '../../server/use-answer.js';
import { useSession } from '../../session.js';

interface KeyDialogProps {
  apiKey: AppKey;
  within: DialogState;
}

/** Name, credits and expiry, at any time. */
export function EditKey({ apiKey, within }: KeyDialogProps) {
  const isAdmin = useSession().session.who.kind === 'admin';
  const before = { name: apiKey.name, credits: creditsText(apiKey.credits), day: dayText(apiKey.expires_at) };
  const [fields, setFields] = useState(before);
  const change = useAction(async (signal) => {
    const { name, credits, day } = fields;
    const body = {
      ...(name !== before.name && { name: name.trim() }),
      ...(credits !== before.credits && { credits: credits === '' ? null : Number(credits) }),
      ...(day !== before.day && { expires_at: endOfDay(day) }),
    };
    await call('changeKey', { id: apiKey.id, body, signal });
    within.done();
  });
  return (
    <FormDialog title="Edit key" button="Save" action={change} onClose={within.close}>
      <KeyFields fields={fields} onChange={setFields} hasCredits={isAdmin} />
    </FormDialog>
  );
}

interface KeyFieldsProps {
  fields: { name: string; credits: string; day: string };
  onChange: (fields: KeyFieldsProps['fields']) => void;
  /** Administrators set credits, of keys that are not for tests. */
  hasCredits: boolean;
}

function KeyFields({ fields, onChange, hasCredits }: KeyFieldsProps) {
  const { name, credits, day } = fields;
  return (
    <>
      <Field
        label="Name"
        value={name}
        onInput={(text) => onChange({ ...fields, name: text })}
        autoFocus
        required
        limits={limits.name}
        hint="Say which program uses it, e.g. signup form."
      />
      {hasCredits && (
        <Field
          label="Credits"
          type="number"
          value={credits}
          onInput={(text) => onChange({ ...fields, credits: text })}
          limits={limits.credits}
          placeholder="no limit"
          hint="Left to use, one per checked address. Empty: no limit."
        />
      )}
      <Field
        label="Valid until"
        type="date"
        value={day}
        onInput={(text) => onChange({ ...fields, day: text })}
        min={localDate(Date.now())}
        hint="The end of that day. Empty: until you revoke it."
      />
    </>
  );
}

export function RevokeKey({ apiKey: { id, name, prefix }, within }: KeyDialogProps) {
  const work = (signal: AbortSignal) => call('revokeKey', { id, signal });
  return (
    <ConfirmDialog title="Revoke this key?" button="Revoke" {...{ work, within }}>
      <p>
        Programs that use <UntrustedText text={name} class="breaks strong" /> (<span class="mono">{prefix}…</span>) are
        refused from now on. A revoked key cannot be restored.
      </p>
    </ConfirmDialog>
  );
}

interface CreatedKey {
  key: string;
  record: AppKey;
}

export function NewKey({ onClose, onCreated }: { onClose: () => void; onCreated: (created: CreatedKey) => void }) {
  const isAdmin = useSession().session.who.kind === 'admin';
  const [fields, setFields] = useState({ name: '', credits: '', day: '' });
  const [plan, setPlan] = useState('');
  const [isTest, setIsTest] = useState(false);
  const create = useAction(async (signal) => {
    const { name, credits, day } = fields;
    const body = {
      name: name.trim(),
      ...(plan.trim() !== '' && { plan: plan.trim() }),
      ...(credits !== '' && !isTest && { credits: Number(credits) }),
      expires_at: endOfDay(day),
      ...(isTest && { test: true }),
    };
    onCreated(await call('createKey', { body, signal }));
  });
  return (
    <FormDialog title="New key" button="Create key" action={create} onClose={onClose}>
      <KeyFields fields={fields} onChange={setFields} hasCredits={isAdmin && !isTest} />
      {isAdmin && <Field label="Plan" value={plan} onInput={setPlan} limits={limits.plan} placeholder="self-hosted" />}
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
  const example = isTestKey(record) ? `valid@${sandboxDomain}` : 'ada@python.org';
  const title = (
    <>
      “<UntrustedText text={record.name} class="breaks" />” is ready. Copy it now: it is not shown again.
    </>
  );
  const lines = [
    { text: key, button: 'Copy' },
    {
      text: asCurl(location.origin, example, key),
      shown: asCurl(location.origin, example, `${record.prefix}…`),
      button: 'Copy curl',
    },
  ];
  return <ShownOnce name="The new key" title={title} lines={lines} onClose={onClose} />;
}

function creditsText(credits: number | null): string {
  return credits === null ? '' : String(credits);
}

function dayText(time: string | null): string {
  return time === null ? '' : localDate(Date.parse(time));
}

/** The last moment of a local day, as ISO 8601; null: never. */
function endOfDay(day: string): string | null {
  return day === '' ? null : new Date(`${day}T23:59:59`).toISOString();
}
