import { useState } from 'preact/hooks';
import type { AppJob } from '../../../wire/app.js';
import { pathOf, routes } from '../../../wire/routes.js';
import { limits } from '../../../wire/schema.js';
import { Button } from '../../parts/button.js';
import { FormDialog } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { isLive } from '../../parts/job-words.js';
import { ProblemNote } from '../../parts/remote-content.js';
import { useDialog } from '../../parts/things.js';
import { navigate } from '../../router.js';
import { call } from '../../server/call.js';
import { useAction } from '../../server/use-answer.js';
import { DeleteLists } from '../lists/all-lists.js';

interface ListActionsProps {
  job: AppJob;
  onRefresh: () => void;
}

/** Actions for a list in its state. */
export function ListActions({ job, onRefresh }: ListActionsProps) {
  const { id, status, interrupted } = job;
  const within = useDialog(() => navigate('/lists', { replace: true }));
  const change = useAction(async (signal, action: 'cancelJob' | 'resumeJob') => {
    await call(action, { id, signal });
    onRefresh();
  });
  const canResume = interrupted === true || status === 'canceled' || status === 'failed';
  return (
    <>
      <Button kind="quiet" onClick={() => within.open(<DeleteLists lists={[job]} within={within} />)}>
        Delete…
      </Button>
      {isLive(job) && interrupted !== true && (
        <Button busy={change.busy} onClick={() => void change.start('cancelJob')}>
          Cancel
        </Button>
      )}
      {canResume && (
        <Button kind="main" busy={change.busy} onClick={() => void change.start('resumeJob')}>
          Resume
        </Button>
      )}
      {!isLive(job) && (
        <a class="button plain" href={pathOf(routes.report, { id })} target="_blank" rel="noreferrer">
          Report
        </a>
      )}
      {!isLive(job) && (
        <Button onClick={() => within.open(<CheckAgain id={id} onClose={within.close} />)}>Check again…</Button>
      )}
      {status === 'completed' && (
        <a class="button main" href={pathOf(routes.download, { id, query: { part: 'clean', format: 'csv' } })} download>
          Download clean list
        </a>
      )}
      <ProblemNote problem={change.problem} />
      {within.dialog}
    </>
  );
}

/** A new list of the same rows, which asks for what is older than the chosen age. */
function CheckAgain({ id, onClose }: { id: string; onClose: () => void }) {
  const [days, setDays] = useState('30');
  const check = useAction(async (signal) => {
    const list = await call('checkAgain', { id, body: { max_age_days: Number(days) }, signal });
    onClose();
    navigate(`/lists/${encodeURIComponent(list.id)}`);
  });
  return (
    <FormDialog title="Check this list again" button="Check again" action={check} onClose={onClose}>
      <p>Makes a new list of the same rows, and shows what has changed when it is done.</p>
      <Field
        label="Ask for verdicts older than (days)"
        type="number"
        value={days}
        onInput={setDays}
        autoFocus
        required
        limits={limits.maxAgeDays}
        hint="Newer ones are kept. 0 asks for every address."
      />
    </FormDialog>
  );
}
