import { useState } from 'preact/hooks';
import { formatAmount } from '../../model/amount.js';
import { FormDialog } from '../parts/dialog.js';
import { Field } from '../parts/field.js';
import { call } from '../server/call.js';
import { useAction } from '../server/use-answer.js';
import { useSession } from '../session.js';

/** How long lists are kept, as a sentence. */
export function retentionText(keepDays: number | null): string {
  return keepDays === null
    ? 'Lists are kept until they are deleted.'
    : `Lists are deleted ${formatAmount(keepDays, 'day')} after they end.`;
}

/** Asks an administrator how long lists are kept. */
export function ChangeRetention({ onClose }: { onClose: () => void }) {
  const { session, setSession } = useSession();
  const [days, setDays] = useState(String(session.server.keep_days ?? ''));
  const change = useAction(async (signal) => {
    const body = { keep_days: days === '' ? null : Number(days) };
    const { keep_days } = await call('setRetention', { body, signal });
    setSession({ ...session, server: { ...session.server, keep_days } });
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
