import { count } from '../../../model/amount.js';
import { type AppJob, appDownloads, appPath, type ResultPart, type ResultsQuery } from '../../../wire/app.js';
import { isLive } from '../../parts/job-words.js';

const parts: { part: ResultPart | null; name: string; about: string; rows: (job: AppJob) => number }[] = [
  { part: null, name: 'All rows', about: 'every row with its verdict', rows: ({ total = 0 }) => total },
  { part: 'clean', name: 'Clean', about: 'valid: write to them', rows: ({ valid_count: valid = 0 }) => valid },
  {
    part: 'review',
    name: 'Review',
    about: 'risky and unknown: look at them',
    rows: ({ risky_count: risky = 0, unknown_count: unknown = 0 }) => risky + unknown,
  },
  {
    part: 'rejected',
    name: 'Rejects',
    about: 'invalid: remove them',
    rows: ({ invalid_count: invalid = 0 }) => invalid,
  },
];
const formats = ['csv', 'ndjson', 'json'] as const;

/** The rows to take along, in every format. Every column of the file is kept. */
export function Downloads({ job }: { job: AppJob }) {
  return (
    <section class="panel" aria-label="Downloads">
      <h2>Downloads</h2>
      {isLive(job) && <p class="muted beneath">The job is under way: a file holds what is answered so far.</p>}
      <div class="wide">
        <table>
          <caption class="unseen">Files to download</caption>
          <tbody>
            {parts.map(({ part, name, about, rows }) => (
              <tr key={name}>
                <th scope="row" class="strong">
                  {name}
                </th>
                <td class="muted roomy-only">{about}</td>
                <td class="number">{count(rows(job))}</td>
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
          </tbody>
        </table>
      </div>
    </section>
  );
}
