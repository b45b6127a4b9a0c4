import { useState } from 'preact/hooks';
import { formatAmount } from '../../model/amount.js';
import type { ForgetReport } from '../../model/job.js';
import { Button } from '../parts/button.js';
import { Dialog, FormDialog } from '../parts/dialog.js';
import { Buttons, Field } from '../parts/field.js';
import { call } from '../server/call.js';
import { useAction } from '../server/use-answer.js';

/** Deletes an address from all lists, after a confirmation. */
export function ForgetAddress({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState('');
  const [report, setReport] = useState<ForgetReport | null>(null);
  const forget = useAction(async (signal) => {
    setReport(await call('forgetAddress', { body: { email: email.trim() }, signal }));
  });
  if (report !== null) {
    return (
      <Dialog title="Forget an address" onClose={onClose}>
        <p role="status">{reportText(report)}</p>
        <Buttons>
          <Button kind="main" onClick={onClose}>
            Close
          </Button>
        </Buttons>
      </Dialog>
    );
  }
  return (
    <FormDialog title="Forget an address" button="Delete everywhere" danger action={forget} onClose={onClose}>
      <p>
        Deletes the rows of this address from the lists of all users, cells that mention it, and its cached verdicts.
        This cannot be undone. Files that were downloaded stay, and so do the counts of the lists.
      </p>
      <Field label="Address" value={email} onInput={setEmail} autoFocus required maxLength={1000} />
    </FormDialog>
  );
}

function reportText({ cached, lists, rows, unfinished }: ForgetReport): string {
  const deleted =
    cached + lists === 0
      ? 'The address was not found in a list that has ended.'
      : `Deleted: ${formatAmount(rows, 'row')} in ${formatAmount(lists, 'list')}${cached > 0 ? `, ${formatAmount(cached, 'cached verdict')}` : ''}.`;
  if (unfinished.length === 0) return deleted;
  return `${deleted} ${formatAmount(unfinished.length, 'list')} with it ${unfinished.length === 1 ? 'has' : 'have'} not ended: repeat this afterwards.`;
}
