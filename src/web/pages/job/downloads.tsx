import { amount, count } from '../../../model/amount.js';
import { Table } from '../../../report/components/table.js';
import { appDownloads, appPath } from '../../../wire/app.js';
import type { AppJob, JobFigures, ResultPart, ResultsQuery } from '../../../wire/app-jobs.js';
import { isLive, unprobedIn } from '../../parts/job-words.js';

const parts: { part: ResultPart | null; name: string; about: string }[] = [
  { part: null, name: 'All rows', about: 'every row with its verdict' },
  { part: 'clean', name: 'Clean', about: 'valid: write to them' },
  { part: 'review', name: 'Review', about: 'risky, unknown, without an address: look at them' },
  { part: 'rejected', name: 'Rejects', about: 'invalid: remove them' },
];
const formats = ['csv', 'ndjson', 'json'] as const;

/** Downloads in every format. `counts` is null until the rows are counted. */
export function Downloads({ job, counts }: { job: AppJob; counts: JobFigures['parts'] | null }) {
  const unprobed = unprobedIn(job);
  return (
    <section class="panel" aria-label="Downloads">
      <h2>Downloads</h2>
      {unprobed > 0 && (
        <p class="beneath">
          <span aria-hidden="true">~ </span>
          For {amount(unprobed, 'address', 'addresses')} the mailbox itself was not asked about. Check the list where
          the server runs with --level smtp before you rely on them.
        </p>
      )}
      {isLive(job) && <p class="muted beneath">The job is under way: rows without an answer yet are in Review.</p>}
      <Table about="Files to download">
        {parts.map(({ part, name, about }) => (
          <tr key={name}>
            <th scope="row" class="strong">
              {name}
            </th>
            <td class="muted roomy-only">
              {part === 'clean' && unprobed > 0 ? 'valid as far as it was asked' : about}
            </td>
            <td class="number">{rowsText(part === null ? job.total : counts?.[part])}</td>
            <td class="tight links">
              {formats.map((format) => {
                const query: ResultsQuery = { format, ...(part !== null && { part }) };
                return (
                  <a
                    key={format}
                    href={appPath(appDownloads.results, { id: job.id, query: { ...query } })}
                    aria-label={`${name} as ${format.toUpperCase()}`}
                    download
                  >
                    {format.toUpperCase()}
                  </a>
                );
              })}
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function rowsText(rows: number | undefined): string {
  return rows === undefined ? '…' : count(rows);
}
