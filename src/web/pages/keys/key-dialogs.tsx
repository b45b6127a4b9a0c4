import { useState } from 'preact/hooks';
import { amount } from '../../../model/amount.js';
import { Foreign } from '../../../report/components/foreign.js';
import type { AppKey, KeyChange } from '../../../wire/app-keys.js';
import { Field } from '../../parts/field.js';
import { FormDialog } from '../../parts/form-dialog.js';
import { call } from '../../server/call.js';
import { type Action, useAction } from '../../server/use-action.js';
import { dayOf, endOfDay, today } from './expiry.js';

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
        <Foreign text={apiKey.name} class="breaks strong" /> has {amount(apiKey.credits ?? 0, 'credit')} left.
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
  const [day, setDay] = useState(apiKey.expires_at === null ? '' : dayOf(apiKey.expires_at));
  const change = useChange(apiKey, onDone, () => ({ expires_at: day === '' ? null : endOfDay(day) }));
  return (
    <FormDialog title="Change expiry" button="Change" action={change} onClose={onClose}>
      <p>
        <Foreign text={apiKey.name} class="breaks strong" />
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
        Programs that use <Foreign text={apiKey.name} class="breaks strong" /> (
        <span class="mono">{apiKey.prefix}…</span>) are refused from now on. A revoked key cannot be brought back.
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
