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
  const [chosen, setChosen] = useState(suggestedIndex < 0 ? [] : [suggestedIndex]);
  const toggle = (at: number): void =>
    setChosen(columns.flatMap((_, other) => (chosen.includes(other) !== (other === at) ? [other] : [])));
  const column = {
    email_column: chosen.map((at) => columns[at] ?? '').join(','),
    email_column_numbers: chosen.map((at) => at + 1).join(','),
  };
  const plan = useAnswer(`plan ${chosen}`, async (signal) =>
    chosen.length === 0 ? null : await call('uploadPlan', { id: preview.upload_id, query: column, signal }),
  );
  const confirm = useAction(async () => {
    const { id } = await call('confirmUpload', { body: { upload_id: preview.upload_id, ...column } });
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
      <p>Which columns contain addresses?</p>
      <div class="wide">
        <table class="preview">
          <thead>
            <tr>
              {columns.map((_, at) => (
                <th
                  key={at}
                  class={chosen.includes(at) ? 'chosen' : ''}
                  ref={at === suggestedIndex ? suggestedCell : null}
                >
                  <label>
                    <input type="checkbox" checked={chosen.includes(at)} onChange={() => toggle(at)} />
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
                  <td key={at} class={chosen.includes(at) ? 'chosen' : ''}>
                    <UntrustedText text={cells[at] ?? ''} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {chosen.length === 0 ? (
        <p class="plan" role="status">
          {suggestedIndex < 0 && 'No column looks like email addresses. '}
          Choose one that contains them, or another file.
        </p>
      ) : (
        <>
          <p class="chosen-column">
            Addresses in <UntrustedText text={namesOf(columns, chosen)} class="strong" />
            {chosen.length === 1 ? ', column ' : ', columns '}
            {chosen.map((at) => at + 1).join(', ')} of {columns.length}.
          </p>
          <PlanText plan={plan} emptyUnit={chosen.length > 1 ? 'cell' : 'row'} />
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

function namesOf(columns: readonly string[], chosen: readonly number[]): string {
  return chosen.map((at) => columns[at] || '(no name)').join(', ');
}

/** What starting the job will do. */
function PlanText({ plan: { answer, problem }, emptyUnit }: { plan: Remote<UploadPlan | null>; emptyUnit: string }) {
  const { session } = useSession();
  if (answer === null && problem !== null && problem.status !== 401) return <ProblemNote problem={problem} />;
  return (
    <p class="plan" role="status">
      {answer === null ? (
        <span class="muted">Counting the addresses…</span>
      ) : (
        <>
          {planSentence(answer, emptyUnit)}{' '}
          {session.server.level === 'smtp' &&
            answer.unique > 0 &&
            'Their mail servers will be contacted; no mail is sent.'}{' '}
          {answer.credits > 0 && creditSentence(answer)}
        </>
      )}
    </p>
  );
}

function planSentence({ unique, addresses, duplicates, empty }: UploadPlan, emptyUnit: string): string {
  if (addresses === 0) return 'There are no addresses. Choose another column or file.';
  const remarks = [
    duplicates > 0
      ? `${formatAmount(duplicates, 'duplicate')} ${duplicates === 1 ? 'is' : 'are'} checked only once`
      : '',
    empty > 0 ? `${formatAmount(empty, emptyUnit)} ${empty === 1 ? 'has' : 'have'} no address` : '',
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
