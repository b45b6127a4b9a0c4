import { useState } from 'preact/hooks';
import { formatAmount } from '../../../model/amount.js';
import { UntrustedText } from '../../../report/components/domain-name.js';
import type { AppForgetReport } from '../../../wire/app.js';
import { limits } from '../../../wire/schema.js';
import { Button, Buttons } from '../../parts/button.js';
import { Field } from '../../parts/field.js';
import { Form } from '../../parts/form.js';
import { jobName } from '../../parts/job-words.js';
import { PageHead } from '../../parts/page-head.js';
import { ConfirmDialog, useDialog } from '../../parts/things.js';
import { Link } from '../../router.js';
import { call } from '../../server/call.js';

/** Deletes an address from all lists, after a confirmation. */
export function ForgetSection() {
  const [email, setEmail] = useState('');
  const [report, setReport] = useState<AppForgetReport | null>(null);
  const within = useDialog(() => setEmail(''));
  const work = async (signal: AbortSignal): Promise<void> =>
    setReport(await call('forgetAddress', { body: { email: email.trim() }, signal }));
  const ask = (): void => {
    setReport(null);
    within.open(
      <ConfirmDialog title="Forget this address?" button="Delete everywhere" {...{ work, within }}>
        <p>
          <UntrustedText text={email.trim()} class="breaks strong" /> is deleted permanently.
        </p>
      </ConfirmDialog>,
    );
  };
  return (
    <>
      <PageHead title="Forget an address" description="For people who ask that their address is deleted." />
      <Form class="panel stack" onSubmit={ask}>
        <p>
          Deletes the rows of this address from the lists of all users, cells that mention it, and its cached verdicts.
          Files that were downloaded stay.
        </p>
        <Field label="Address" value={email} onInput={setEmail} required limits={limits.mention} />
        <Buttons>
          <Button kind="danger" type="submit">
            Delete everywhere…
          </Button>
        </Buttons>
        {report !== null && <ForgetResult report={report} />}
      </Form>
      {within.dialog}
    </>
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
                <Link to={`/lists/${encodeURIComponent(list.id)}`}>
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
