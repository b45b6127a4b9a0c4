import { useState } from 'preact/hooks';
import { formatAmount } from '../../model/amount.js';
import { UntrustedText } from '../../report/components/domain-name.js';
import type { AppForgetReport } from '../../wire/app-jobs.js';
import { Button } from '../parts/button.js';
import { Dialog, FormDialog } from '../parts/dialog.js';
import { Buttons, Field } from '../parts/field.js';
import { jobName } from '../parts/job-words.js';
import { Link } from '../router.js';
import { call } from '../server/call.js';
import { useAction } from '../server/use-answer.js';

/** Deletes an address from all lists, after a confirmation. */
export function ForgetAddress({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState('');
  const [report, setReport] = useState<AppForgetReport | null>(null);
  const forget = useAction(async (signal) => {
    setReport(await call('forgetAddress', { body: { email: email.trim() }, signal }));
  });
  if (report !== null) {
    return (
      <Dialog title="Forget an address" onClose={onClose}>
        <ForgetResult report={report} />
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

/** What was deleted, and the lists that must end first. */
export function ForgetResult({ report }: { report: AppForgetReport }) {
  const { unfinished } = report;
  return (
    <div role="status">
      <p>{deletedText(report)}</p>
      {unfinished.length > 0 && (
        <>
          <p>
            {unfinished.length === 1 ? 'This list with it has' : 'These lists with it have'} not ended. Repeat this
            afterwards:
          </p>
          <ul>
            {unfinished.map((list) => (
              <li key={list.id}>
                <Link to={`/jobs/${encodeURIComponent(list.id)}`}>
                  <UntrustedText text={jobName(list)} class="breaks" />
                </Link>{' '}
                by <UntrustedText text={list.owner.name} />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function deletedText({ cached, lists, rows }: AppForgetReport): string {
  if (cached + lists === 0) return 'The address was not found in a list that has ended.';
  const verdicts = cached > 0 ? `, ${formatAmount(cached, 'cached verdict')}` : '';
  return `Deleted: ${formatAmount(rows, 'row')} in ${formatAmount(lists, 'list')}${verdicts}.`;
}
