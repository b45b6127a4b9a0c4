import { useEffect, useRef, useState } from 'preact/hooks';
import { formatAmount, formatNumber } from '../../../model/amount.js';
import type { UploadPreview } from '../../../model/job.js';
import { UntrustedText } from '../../../report/components/domain-name.js';
import type { UploadPlan } from '../../../wire/app.js';
import { Button } from '../../parts/button.js';
import { ProblemNote } from '../../parts/remote-content.js';
import { navigate } from '../../router.js';
import { call } from '../../server/call.js';
import { type Remote, useAction, useAnswer } from '../../server/use-answer.js';
import { useSession } from '../../session.js';

/** Columns and first rows of a file: choose the email column and start the job. */
export function PreviewPanel({ preview, onCancel }: { preview: UploadPreview; onCancel: () => void }) {
  const { columns, sample_rows: rows = [], row_count: rowCount } = preview;
  // Names may be empty or repeat, so columns are chosen by position.
  const suggestedIndex = (preview.suggested_email_column_number ?? 0) - 1;
  const [chosen, setChosen] = useState(suggestedIndex);
  const name = columns[chosen];
  const plan = useAnswer(`plan ${chosen}`, async (signal) => {
    if (name === undefined) return null;
    const query = { email_column: name, email_column_number: chosen + 1 };
    return await call('uploadPlan', { id: preview.upload_id, query, signal });
  });
  const confirm = useAction(async () => {
    if (name === undefined) return;
    const body = { upload_id: preview.upload_id, email_column: name, email_column_number: chosen + 1 };
    const { id } = await call('confirmUpload', { body });
    navigate(`/lists/${encodeURIComponent(id)}`);
  });
  // The plan counts what the preview of a large file estimates.
  const isEstimate = preview.row_count_exact === false;
  const suggestedCell = useRef<HTMLTableCellElement>(null);
  // A suggested column far to the right would be out of sight.
  useEffect(() => suggestedCell.current?.scrollIntoView({ inline: 'center', block: 'nearest' }), []);
  return (
    <section class="panel" aria-label="Preview">
      <h2>
        <UntrustedText text={preview.filename} class="breaks" />
        {rowCount !== undefined && (
          <span class="muted plain">
            {' '}
            · {isEstimate && plan.answer === null && 'about '}
            {formatAmount(isEstimate ? (plan.answer?.rows ?? rowCount) : rowCount, 'row')}
          </span>
        )}
      </h2>
      <p>Which column contains the addresses?</p>
      <div class="wide">
        <table class="preview">
          <thead>
            <tr>
              {columns.map((_, at) => (
                <th key={at} class={at === chosen ? 'chosen' : ''} ref={at === suggestedIndex ? suggestedCell : null}>
                  <label>
                    <input type="radio" name="column" checked={at === chosen} onChange={() => setChosen(at)} />
                    <UntrustedText text={columnTitle(columns, at)} />
                    {at === suggestedIndex && <span class="badge valid">suggested</span>}
                  </label>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, 8).map((cells, row) => (
              <tr key={row}>
                {columns.map((_, at) => (
                  <td key={at} class={at === chosen ? 'chosen' : ''}>
                    <UntrustedText text={cells[at] ?? ''} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {name === undefined ? (
        <p class="plan" role="status">
          No column looks like email addresses. Choose the one that contains them, or another file.
        </p>
      ) : (
        <>
          <p class="chosen-column">
            Addresses in {name !== '' && <UntrustedText text={name} class="strong" />}
            {name !== '' && ', '}column {chosen + 1} of {columns.length}.
          </p>
          <PlanText plan={plan} />
        </>
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

/** The name of a column, with its number if the name is empty or repeats. */
function columnTitle(columns: readonly string[], at: number): string {
  const name = columns[at] ?? '';
  if (name === '') return `Column ${at + 1}`;
  return columns.indexOf(name) === columns.lastIndexOf(name) ? name : `${name} (column ${at + 1})`;
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
          {session.server.level === 'smtp' &&
            answer.unique > 0 &&
            'Their mail servers will be contacted; no mail is sent.'}{' '}
          {answer.credits > 0 && creditSentence(answer)}
        </>
      )}
    </p>
  );
}

function planSentence({ unique, addresses, duplicates, empty }: UploadPlan): string {
  if (addresses === 0) return 'This column has no addresses. Choose another column or file.';
  const remarks = [
    duplicates > 0
      ? `${formatAmount(duplicates, 'duplicate')} ${duplicates === 1 ? 'is' : 'are'} checked only once`
      : '',
    empty > 0 ? `${formatAmount(empty, 'row')} ${empty === 1 ? 'has' : 'have'} no address` : '',
  ].filter((text) => text !== '');
  return `${formatAmount(unique, 'different address', 'different addresses')}${remarks.length > 0 ? `; ${remarks.join(', ')}` : ''}.`;
}

function creditSentence({ credits, balance }: UploadPlan): string {
  const cost = `It costs ${formatAmount(credits, 'credit')}`;
  if (balance === null) return `${cost}.`;
  return credits > balance
    ? `${cost}, but the balance is ${formatNumber(balance)}.`
    : `${cost} of ${formatNumber(balance)}.`;
}
