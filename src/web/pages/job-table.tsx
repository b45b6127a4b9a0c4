import { formatNumber } from '../../model/amount.js';
import { UntrustedText } from '../../report/components/domain-name.js';
import { Table } from '../../report/components/panel.js';
import { StatusBar, shareText, sumOf, toCountByStatus } from '../../report/components/status-bar.js';
import type { AppJob } from '../../wire/app-jobs.js';
import { isLive, JobBadge, jobName } from '../parts/job-words.js';
import { RelativeTime } from '../parts/time.js';
import { Link } from '../router.js';

interface JobTableProps {
  jobs: readonly AppJob[];
  /** With it, jobs that have ended can be selected. */
  selection?: { selected: readonly AppJob[]; onSelect: (jobs: readonly AppJob[]) => void };
  /** The page with the jobs of an owner. */
  ownerPath?: ((ownerId: string) => string) | undefined;
}

/** Jobs as rows, with a bar of their results. */
export function JobTable({ jobs, selection, ownerPath }: JobTableProps) {
  return (
    <Table
      caption="Jobs"
      stacks
      head={
        <>
          {selection !== undefined && (
            <th>
              <span class="visually-hidden">Select</span>
            </th>
          )}
          <th>File</th>
          <th>State</th>
          <th class="number">Rows</th>
          <th>Result</th>
          <th class="number">Valid</th>
          <th>By</th>
          <th>Created</th>
        </>
      }
    >
      {jobs.map((job) => (
        <tr key={job.id}>
          {selection !== undefined && <SelectCell job={job} {...selection} />}
          <td class="breaks strong name">
            <Link to={`/jobs/${encodeURIComponent(job.id)}`}>
              <UntrustedText text={jobName(job)} />
            </Link>
          </td>
          <td>
            <JobBadge job={job} />
          </td>
          <td class="number" data-label="Rows">
            {rowsText(job)}
          </td>
          <td class="bar-cell">
            <StatusBar
              counts={toCountByStatus(job)}
              total={(job.total ?? 0) - (job.empty_count ?? 0) - (job.duplicate_count ?? 0)}
            />
          </td>
          <td class="number" data-label="Valid">
            {shareText(job.valid_count ?? 0, sumOf(toCountByStatus(job)))}
          </td>
          <td class="by" data-label="By">
            {job.owner.kind === 'key' && <span class="muted">key </span>}
            {ownerPath === undefined ? (
              <UntrustedText text={job.owner.name} />
            ) : (
              <Link to={ownerPath(job.owner.id)}>
                <UntrustedText text={job.owner.name} />
              </Link>
            )}
          </td>
          <td class="tight" data-label="Created">
            <RelativeTime at={job.created_at} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function SelectCell({ job, selected, onSelect }: { job: AppJob } & NonNullable<JobTableProps['selection']>) {
  const others = selected.filter(({ id }) => id !== job.id);
  return (
    <td>
      <input
        type="checkbox"
        aria-label={`Select ${jobName(job)}`}
        checked={others.length < selected.length}
        disabled={isLive(job)}
        onChange={(event) => onSelect(event.currentTarget.checked ? [...others, job] : others)}
      />
    </td>
  );
}

function rowsText(job: AppJob): string {
  const { total = 0, processed = 0 } = job;
  return isLive(job) ? `${formatNumber(processed)} of ${formatNumber(total)}` : formatNumber(total);
}
