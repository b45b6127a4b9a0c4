import { useState } from 'preact/hooks';
import { formatAmount, formatNumber } from '../../../model/amount.js';
import { rowStatuses } from '../../../model/job.js';
import { reasonPhrase } from '../../../model/text/sentences.js';
import { UntrustedText } from '../../../report/components/domain-name.js';
import { type Column, Table } from '../../../report/components/panel.js';
import { type AppJob, downloadFormats, type JobStats, type RowSelection } from '../../../wire/app.js';
import { pathOf, type QueryOf, routes } from '../../../wire/routes.js';
import { Select } from '../../parts/field.js';
import { countUnprobed, isLive } from '../../parts/job-words.js';
import { call } from '../../server/call.js';
import { useAnswer } from '../../server/use-answer.js';

interface File {
  name: string;
  description: string;
  selection: RowSelection;
  /** Undefined until the rows are counted; null if they are not counted. */
  rows: number | null | undefined;
}

/** Downloads in every format. `stats` is null until the rows are counted. */
export function Downloads({ job, stats }: { job: AppJob; stats: JobStats | null }) {
  const unprobed = countUnprobed(job);
  const { duplicate_count: duplicates = 0, forgotten_count: gone = 0 } = job;
  const [isUnique, setIsUnique] = useState(false);
  const [chosen, setChosen] = useState<Choice>({ only: '', reason: '', columns: [] });
  const counts = stats === null ? null : isUnique ? stats.unique : stats.rows;
  const clean = unprobed > 0 ? 'valid as far as it was checked' : 'valid: safe to send';
  const files: File[] = [
    {
      ...{ name: 'All rows', description: 'every row with its verdict', selection: {} },
      rows: counts === null ? undefined : counts.clean + counts.review + counts.rejected,
    },
    { name: 'Clean', description: clean, selection: { part: 'clean' }, rows: counts?.clean },
    {
      ...{ name: 'Review', description: 'risky, unknown, without an address: review them' },
      ...{ selection: { part: 'review' }, rows: counts?.review },
    },
    {
      ...{ name: 'Rejects', description: 'invalid: remove them', selection: { part: 'rejected' } },
      rows: counts?.rejected,
    },
    ...(`${chosen.only}${chosen.reason}` === '' ? [] : [chosenFile(chosen)]),
  ];
  const shared = { ...(isUnique && { duplicates: 'remove' as const }), ...columnsOf(chosen) };
  const columns: Column<File>[] = [
    { name: 'File', class: 'strong', isRowHead: true, cell: ({ name }) => name },
    { name: 'Contains', class: 'muted wide-screen-only', cell: ({ description }) => description },
    {
      name: 'Rows',
      class: 'number',
      cell: ({ rows }) => (rows === undefined ? '…' : rows !== null && formatNumber(rows)),
    },
    {
      ...{ name: 'Format', class: 'tight links' },
      cell: ({ name, selection }) =>
        downloadFormats.map((format) => {
          const word = format === 'xlsx' ? 'Excel' : format.toUpperCase();
          const query: QueryOf<'download'> = { format, ...selection, ...shared };
          return (
            <a
              key={format}
              href={pathOf(routes.download, { id: job.id, query })}
              aria-label={`${name} as ${word}`}
              download
            >
              {word}
            </a>
          );
        }),
    },
  ];
  return (
    <section class="panel" aria-label="Downloads">
      <div class="space-between">
        <h2>Downloads</h2>
        {duplicates > 0 && !isLive(job) && (
          <label class="choice">
            <input type="checkbox" checked={isUnique} onChange={() => setIsUnique(!isUnique)} />
            Remove duplicates ({formatAmount(duplicates, 'row')})
          </label>
        )}
      </div>
      {unprobed > 0 && (
        <p class="beneath">
          <span aria-hidden="true">~ </span>
          For {formatAmount(unprobed, 'address', 'addresses')} the mailbox was not checked. This server checks no
          deeper.
        </p>
      )}
      {isLive(job) && (
        <p class="muted beneath">
          The list {job.status === 'queued' ? 'has not started' : 'is running'}: unanswered rows are in Review
          {stats !== null && `, counted when ${formatAmount(stats.answered, 'row')} had an answer`}.
        </p>
      )}
      {gone > 0 && (
        <p class="muted beneath">
          {formatAmount(gone, 'row')} {gone === 1 ? 'was' : 'were'} deleted with “Forget an address”. Rows are numbered
          without {gone === 1 ? 'it' : 'them'}, not as in the file that was uploaded.
        </p>
      )}
      <Table caption="Files to download" columns={columns} rows={files} keyOf={({ name }) => name} />
      <Choices job={job} stats={stats} chosen={chosen} onChange={setChosen} />
    </section>
  );
}

/** A status, a reason, and columns from 1; empty: all. */
interface Choice {
  only: string;
  reason: string;
  columns: readonly number[];
}

function chosenFile({ only, reason }: Choice): File {
  const selection = { ...(only !== '' && { only }), ...(reason !== '' && { reason }) };
  const words = [only, reason === '' ? '' : reasonPhrase(reason, 'unknown')].filter((word) => word !== '');
  return { name: 'Chosen', description: words.join(': '), selection, rows: null };
}

function columnsOf({ columns }: Choice): { columns?: string } {
  return columns.length === 0 ? {} : { columns: columns.join(',') };
}

interface ChoicesProps {
  job: AppJob;
  stats: JobStats | null;
  chosen: Choice;
  onChange: (chosen: Choice) => void;
}

/** Rows by status and reason, and columns. */
function Choices({ job, stats, chosen, onChange }: ChoicesProps) {
  const [isOpen, setIsOpen] = useState(false);
  const codes = stats?.stats.reasons.names.map(({ name }) => name).filter((name) => name !== '') ?? [];
  return (
    <details class="paste" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Choose rows and columns</summary>
      {isOpen && (
        <div class="stack">
          <div class="buttons">
            <Select
              label="Status"
              value={chosen.only}
              choices={[['', 'any'], ...rowStatuses.map((status) => [status, status] as const)]}
              onChange={(only) => onChange({ ...chosen, only })}
            />
            <Select
              label="Reason"
              value={chosen.reason}
              choices={[['', 'any'], ...codes.map((code) => [code, reasonPhrase(code, 'unknown')] as const)]}
              onChange={(reason) => onChange({ ...chosen, reason })}
            />
          </div>
          <ColumnChoice job={job} chosen={chosen} onChange={onChange} />
        </div>
      )}
    </details>
  );
}

function ColumnChoice({ job, chosen, onChange }: Omit<ChoicesProps, 'stats'>) {
  const page = useAnswer(`columns ${job.id}`, (signal) => call('jobRows', { id: job.id, query: { limit: 1 }, signal }));
  const all = page.answer?.columns.map((_, at) => at + 1) ?? [];
  const numbers = chosen.columns.length === 0 ? all : chosen.columns;
  const toggle = (number: number): void => {
    const columns = all.filter((each) => numbers.includes(each) !== (each === number));
    onChange({ ...chosen, columns: columns.length === all.length ? [] : columns });
  };
  return (
    <fieldset class="chips">
      <legend>Columns</legend>
      {page.answer?.columns.map((name, at) => (
        <label key={at} class={numbers.includes(at + 1) ? 'chip chosen' : 'chip'}>
          <input type="checkbox" checked={numbers.includes(at + 1)} onChange={() => toggle(at + 1)} />
          <UntrustedText text={name || `Column ${at + 1}`} />
        </label>
      ))}
    </fieldset>
  );
}
