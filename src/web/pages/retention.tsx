import { useState } from 'preact/hooks';
import { formatAmount } from '../../model/amount.js';
import { FormDialog } from '../parts/dialog.js';
import { Field } from '../parts/field.js';
import { call } from '../server/call.js';
import { useAction } from '../server/use-answer.js';
import { useSession } from '../session.js';

/** How long lists are kept, as a sentence. */
export function retentionText(keepDays: number | null): string {
  if (keepDays === null) return 'Lists are kept until they are deleted.';
  const time = Number.isInteger(keepDays)
    ? formatAmount(keepDays, 'day')
    : formatAmount(Math.round(24 * keepDays), 'hour');
  return `Lists are deleted ${time} after they end.`;
}

/** Asks an administrator how long lists are kept. */
export function ChangeRetention({ onClose }: { onClose: () => void }) {
  const { session, setSession } = useSession();
  const { keep_days } = session.server;
  const [days, setDays] = useState(keep_days === null ? '' : String(Math.ceil(keep_days)));
  const change = useAction(async (signal) => {
    const body = { keep_days: days === '' ? null : Number(days) };
    const changed = await call('setRetention', { body, signal });
    setSession({ ...session, server: { ...session.server, ...changed } });
    onClose();
  });
  return (
    <FormDialog title="How long lists are kept" button="Change" action={change} onClose={onClose}>
      <p>
        Lists of all users, with their rows and results, are deleted this many days after they end. Lists already older
        than that are deleted within an hour.
      </p>
      <Field
        label="Days"
        type="number"
        value={days}
        onInput={setDays}
        autoFocus
        min={1}
        max={36_500}
        hint="Leave empty to keep lists until a user deletes them."
      />
    </FormDialog>
  );
}
