import { useState } from 'preact/hooks';
import { formatAmount, formatNumber } from '../../../model/amount.js';
import type { UploadPreview } from '../../../model/job.js';
import { Foreign } from '../../../report/components/domain-name.js';
import type { UploadPlan } from '../../../wire/app-jobs.js';
import { Button } from '../../parts/button.js';
import { ProblemNote } from '../../parts/remote-content.js';
import { navigate } from '../../router.js';
import { call } from '../../server/call.js';
import { confirmUpload } from '../../server/upload.js';
import { type Remote, useAction, useAnswer } from '../../server/use-answer.js';
import { useSession } from '../../session.js';

/** Columns and first rows of a file: choose the email column and start the job. */
export function PreviewPanel({ preview, onCancel }: { preview: UploadPreview; onCancel: () => void }) {
  const { columns, suggested_email_column: suggested, sample_rows: rows = [], row_count: rowCount } = preview;
  // A column may have no name, only a number.
  const hasSuggestion = suggested !== '' || preview.suggested_email_column_number !== undefined;
  const [column, setColumn] = useState(hasSuggestion && columns.includes(suggested) ? suggested : null);
  const plan = useAnswer(`plan ${JSON.stringify(column)}`, async (signal) =>
    column === null
      ? null
      : await call('uploadPlan', { id: preview.upload_id, query: { email_column: column }, signal }),
  );
  const confirm = useAction(async () => {
    if (column === null) return;
    const job = await confirmUpload(preview.upload_id, column);
    navigate(`/jobs/${encodeURIComponent(job.id)}`);
  });
  return (
    <section class="panel" aria-label="Preview">
      <h2>
        <Foreign text={preview.filename} class="breaks" />
        {rowCount !== undefined && (
          <span class="muted plain">
            {' '}
            · {preview.row_count_exact === false && 'about '}
            {formatAmount(rowCount, 'row')}
          </span>
        )}
      </h2>
      <p>Which column contains the addresses?</p>
      <div class="wide">
        <table class="preview">
          <thead>
            <tr>
              {columns.map((name, at) => (
                <th key={at} class={name === column ? 'chosen' : ''}>
                  <label>
                    <input type="radio" name="column" checked={name === column} onChange={() => setColumn(name)} />
                    <Foreign text={name === '' ? `Column ${at + 1}` : name} />
                    {hasSuggestion && name === suggested && <span class="badge valid">suggested</span>}
                  </label>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, 8).map((cells, row) => (
              <tr key={row}>
                {columns.map((name, at) => (
                  <td key={at} class={name === column ? 'chosen' : ''}>
                    <Foreign text={cells[at] ?? ''} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {column === null ? (
        <p class="plan" role="status">
          No column looks like email addresses. Choose the one that contains them, or another file.
        </p>
      ) : (
        <PlanText plan={plan} />
      )}
      <ProblemNote problem={confirm.problem} />
      <div class="buttons">
        <Button
          kind="main"
          busy={confirm.busy}
          disabled={plan.answer === null || plan.answer.unique === 0}
          onClick={() => void confirm.start()}
        >
          {confirm.busy
            ? 'Starting…'
            : plan.answer === null
              ? 'Start'
              : `Check ${formatAmount(plan.answer.unique, 'address', 'addresses')}`}
        </Button>
        <Button onClick={onCancel}>Choose another file</Button>
      </div>
    </section>
  );
}

/** What starting the job will do. */
function PlanText({ plan: { answer, problem } }: { plan: Remote<UploadPlan | null> }) {
  const { session } = useSession();
  if (answer === null && problem !== null && problem.status !== 401) return <ProblemNote problem={problem} />;
  return (
    <p class="plan" role="status">
      {answer === null ? (
        <span class="muted">Counting the addresses…</span>
      ) : (
        <>
          {planSentence(answer)}{' '}
          {session.server.level === 'smtp' && 'Their mail servers will be contacted; no mail is sent.'}{' '}
          {answer.credits > 0 && creditSentence(answer)}
        </>
      )}
    </p>
  );
}

function planSentence({ unique, addresses, duplicates, empty }: UploadPlan): string {
  if (addresses === 0) return 'This column has no addresses. Choose another one.';
  const remarks = [
    duplicates > 0
      ? `${formatAmount(duplicates, 'duplicate')} ${duplicates === 1 ? 'is' : 'are'} checked only once`
      : '',
    empty > 0 ? `${formatAmount(empty, 'row')} ${empty === 1 ? 'has' : 'have'} no address` : '',
  ].filter((text) => text !== '');
  return `${formatAmount(unique, 'different address', 'different addresses')}${remarks.length > 0 ? `; ${remarks.join(', ')}` : ''}.`;
}

function creditSentence({ credits, balance }: UploadPlan): string {
  const balanceText = balance === null ? '' : ` of ${formatNumber(balance)}`;
  return `It costs ${formatAmount(credits, 'credit')}${balanceText}.`;
}
