import { useState } from 'preact/hooks';
import { formatAmount, formatNumber } from '../../../model/amount.js';
import { Table } from '../../../report/components/panel.js';
import { appDownloads, appPath } from '../../../wire/app.js';
import {
  type AppJob,
  downloadFormats,
  type JobStats,
  type ResultPart,
  type ResultsQuery,
} from '../../../wire/app-jobs.js';
import { countUnprobed, isLive } from '../../parts/job-words.js';

const parts: { part: ResultPart | null; name: string; description: string }[] = [
  { part: null, name: 'All rows', description: 'every row with its verdict' },
  { part: 'clean', name: 'Clean', description: 'valid: safe to send' },
  { part: 'review', name: 'Review', description: 'risky, unknown, without an address: review them' },
  { part: 'rejected', name: 'Rejects', description: 'invalid: remove them' },
];

/** Downloads in every format. `stats` is null until the rows are counted. */
export function Downloads({ job, stats }: { job: AppJob; stats: JobStats | null }) {
  const counts = stats?.parts ?? null;
  const forgotten = forgottenRows(job, counts);
  const unprobed = countUnprobed(job);
  const { duplicate_count: duplicates = 0 } = job;
  const [isUnique, setIsUnique] = useState(false);
  const [hasMark, setHasMark] = useState(false);
  return (
    <section class="panel" aria-label="Downloads">
      <div class="space-between">
        <h2>Downloads</h2>
        <div class="buttons">
          {duplicates > 0 && !isLive(job) && (
            <label class="choice">
              <input type="checkbox" checked={isUnique} onChange={() => setIsUnique(!isUnique)} />
              Remove duplicates ({formatAmount(duplicates, 'row')})
            </label>
          )}
          <label class="choice">
            <input type="checkbox" checked={hasMark} onChange={() => setHasMark(!hasMark)} />
            CSV for Excel (byte order mark)
          </label>
        </div>
      </div>
      {unprobed > 0 && (
        <p class="beneath">
          <span aria-hidden="true">~ </span>
          For {formatAmount(unprobed, 'address', 'addresses')} the mailbox was not checked. Run the list on a server
          with --level smtp before you rely on them.
        </p>
      )}
      {isLive(job) && (
        <p class="muted beneath">
          The job {job.status === 'queued' ? 'has not started' : 'is running'}: unanswered rows are in Review
          {stats !== null && `, counted when ${formatAmount(stats.answered, 'row')} had an answer`}.
        </p>
      )}
      {forgotten > 0 && (
        <p class="muted beneath">
          {formatAmount(forgotten, 'row')} {forgotten === 1 ? 'was' : 'were'} deleted with “Forget an address”; the
          counts above and the report still include {forgotten === 1 ? 'it' : 'them'}. Rows are numbered without{' '}
          {forgotten === 1 ? 'it' : 'them'}, not as in the file that was uploaded.
        </p>
      )}
      <Table
        caption="Files to download"
        head={
          <>
            <th>File</th>
            <th class="wide-screen-only">Contains</th>
            <th class="number">Rows</th>
            <th>Format</th>
          </>
        }
      >
        {parts.map(({ part, name, description }) => (
          <tr key={name}>
            <th scope="row" class="strong">
              {name}
            </th>
            <td class="muted wide-screen-only">
              {part === 'clean' && unprobed > 0 ? 'valid as far as it was checked' : description}
            </td>
            <td class="number">{rowsText(isUnique ? uniqueRows(job, part) : rowsIn(job, counts, part))}</td>
            <td class="tight links">
              {downloadFormats.map((format) => (
                <a
                  key={format}
                  href={appPath(appDownloads.results, {
                    id: job.id,
                    query: queryOf(part, format, { isUnique, hasMark }),
                  })}
                  aria-label={`${name} as ${format === 'xlsx' ? 'Excel' : format.toUpperCase()}`}
                  download
                >
                  {format === 'xlsx' ? 'Excel' : format.toUpperCase()}
                </a>
              ))}
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function queryOf(
  part: ResultPart | null,
  format: ResultsQuery['format'],
  { isUnique, hasMark }: { isUnique: boolean; hasMark: boolean },
) {
  return {
    ...(format !== undefined && { format }),
    ...(part !== null && { part }),
    ...(isUnique && { duplicates: 'remove' }),
    ...(hasMark && format === 'csv' && { bom: 'add' }),
  };
}

function rowsIn(job: AppJob, counts: JobStats['parts'] | null, part: ResultPart | null): number | undefined {
  return part === null ? (job.total ?? 0) - forgottenRows(job, counts) : counts?.[part];
}

/** Rows of an ended job that its files no longer contain. */
function forgottenRows(job: AppJob, counts: JobStats['parts'] | null): number {
  if (counts === null || isLive(job)) return 0;
  return Math.max(0, (job.total ?? 0) - counts.clean - counts.review - counts.rejected);
}

/** Without duplicates: the counts by status leave them out, too. */
function uniqueRows(job: AppJob, part: ResultPart | null): number {
  const { total = 0, duplicate_count: duplicates = 0, valid_count: valid = 0, invalid_count: invalid = 0 } = job;
  if (part === 'clean') return valid;
  if (part === 'rejected') return invalid;
  return part === null ? total - duplicates : total - duplicates - valid - invalid;
}

function rowsText(rows: number | undefined): string {
  return rows === undefined ? '…' : formatNumber(rows);
}
