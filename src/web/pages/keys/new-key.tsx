import { useEffect, useRef, useState } from 'preact/hooks';
import { Foreign } from '../../../report/components/foreign.js';
import type { AppKey } from '../../../wire/app-keys.js';
import { Button } from '../../parts/button.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Field } from '../../parts/field.js';
import { FormDialog } from '../../parts/form-dialog.js';
import { asCurl } from '../../parts/shell-line.js';
import { call } from '../../server/call.js';
import { useAction } from '../../server/use-action.js';
import { endOfDay, today } from './expiry.js';

interface Made {
  key: string;
  record: AppKey;
}

export function NewKey({ onClose, onMade }: { onClose: () => void; onMade: (made: Made) => void }) {
  const [name, setName] = useState('');
  const [plan, setPlan] = useState('');
  const [credits, setCredits] = useState('');
  const [expiry, setExpiry] = useState('');
  const create = useAction(async (signal) => {
    const body = {
      name: name.trim(),
      ...(plan.trim() !== '' && { plan: plan.trim() }),
      credits: credits === '' ? null : Number(credits),
      expires_at: expiry === '' ? null : endOfDay(expiry),
    };
    onMade(await call('createKey', { body, signal }));
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
      <Field label="Plan" value={plan} onInput={setPlan} maxLength={100} placeholder="self-hosted" />
      <Field
        label="Credits"
        type="number"
        value={credits}
        onInput={setCredits}
        min={0}
        max={1_000_000_000}
        placeholder="no limit"
        hint="One for each address that is asked about. Empty: no limit."
      />
      <Field
        label="Valid until"
        type="date"
        value={expiry}
        onInput={setExpiry}
        min={today()}
        hint="The end of that day. Empty: until you revoke it."
      />
    </FormDialog>
  );
}

/** Shows a new key, once. */
export function FreshKey({ made: { key, record }, onClose }: { made: Made; onClose: () => void }) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => place.current?.focus(), []);
  return (
    <section class="panel fresh" aria-label="The new key" ref={place} tabIndex={-1}>
      <div class="apart">
        <h2>
          “<Foreign text={record.name} class="breaks" />” is ready. Copy it now: it is not shown again.
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
        <code class="breaks">{asCurl(location.origin, 'ada@python.org', `${key.slice(0, 8)}…`)}</code>
        <CopyButton text={asCurl(location.origin, 'ada@python.org', key)}>Copy curl</CopyButton>
      </div>
    </section>
  );
}
