import { useState } from 'preact/hooks';
import { formatAmount } from '../../../model/amount.js';
import { UntrustedText } from '../../../report/components/domain-name.js';
import { appDownloads, appPath } from '../../../wire/app.js';
import type { AppJob } from '../../../wire/app-jobs.js';
import { Button } from '../../parts/button.js';
import { FormDialog } from '../../parts/dialog.js';
import { isLive, jobName } from '../../parts/job-words.js';
import { ProblemNote } from '../../parts/remote-content.js';
import { navigate } from '../../router.js';
import { call } from '../../server/call.js';
import { cancelJob } from '../../server/upload.js';
import { useAction } from '../../server/use-answer.js';

interface JobActionsProps {
  job: AppJob;
  onChange: (job: AppJob) => void;
  onRefresh: () => void;
}

/** Actions for a job in its state. */
export function JobActions({ job, onChange, onRefresh }: JobActionsProps) {
  const { id, status, interrupted, unknown_count: unknown = 0 } = job;
  const [isConfirming, setIsConfirming] = useState(false);
  const change = useAction(async (signal, what: 'resumeJob' | 'retryUnknown') => {
    onChange(await call(what, { id, signal }));
    onRefresh();
  });
  const cancel = useAction(async () => {
    await cancelJob(id);
    onRefresh();
  });
  const canResume = interrupted === true || status === 'canceled' || status === 'failed';
  return (
    <>
      <Button kind="quiet" onClick={() => setIsConfirming(true)}>
        Delete…
      </Button>
      {isLive(job) && interrupted !== true && (
        <Button busy={cancel.busy} onClick={() => void cancel.start()}>
          Cancel
        </Button>
      )}
      {canResume && (
        <Button kind="main" busy={change.busy} onClick={() => void change.start('resumeJob')}>
          Resume
        </Button>
      )}
      {!isLive(job) && (
        <a class="button plain" href={appPath(appDownloads.report, { id })} target="_blank" rel="noreferrer">
          Report
        </a>
      )}
      {status === 'completed' && unknown > 0 && (
        <Button busy={change.busy} onClick={() => void change.start('retryUnknown')}>
          Run unknown again
        </Button>
      )}
      {status === 'completed' && (
        <a
          class="button main"
          href={appPath(appDownloads.results, { id, query: { part: 'clean', format: 'csv' } })}
          download
        >
          Download clean list
        </a>
      )}
      <ProblemNote problem={change.problem ?? cancel.problem} />
      {isConfirming && <DeleteQuestion job={job} onClose={() => setIsConfirming(false)} />}
    </>
  );
}

function DeleteQuestion({ job, onClose }: { job: AppJob; onClose: () => void }) {
  const remove = useAction(async (signal) => {
    await call('deleteJob', { id: job.id, signal });
    onClose();
    navigate('/jobs', { replace: true });
  });
  return (
    <FormDialog title="Delete this list?" button="Delete" cancel="Keep it" danger action={remove} onClose={onClose}>
      <p>
        <UntrustedText text={jobName(job)} class="breaks" />: the file, its {formatAmount(job.total ?? 0, 'row')} and
        their results are deleted permanently.
        {isLive(job) && ' It is stopped first.'}
      </p>
    </FormDialog>
  );
}
