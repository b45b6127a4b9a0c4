import { useState } from 'preact/hooks';
import { formatNumber } from '../../model/amount.js';
import { UntrustedText } from '../../report/components/domain-name.js';
import { Table } from '../../report/components/panel.js';
import { StatusBar, shareText, sumOf, toCountByStatus } from '../../report/components/status-bar.js';
import type { AppJob } from '../../wire/app-jobs.js';
import { Button } from '../parts/button.js';
import { Search } from '../parts/field.js';
import { isLive, JobBadge, jobName } from '../parts/job-words.js';
import { PageHead } from '../parts/page-head.js';
import { Pager } from '../parts/pager.js';
import { RemoteContent } from '../parts/remote-content.js';
import { RelativeTime } from '../parts/time.js';
import { Link, navigate } from '../router.js';
import { call } from '../server/call.js';
import { useAnswer } from '../server/use-answer.js';
import { useSession } from '../session.js';
import { ForgetAddress } from './forget-address.js';

const limit = 20;

/** All jobs, newest first. Search and page are in the URL, so that "back" works. */
export function JobsPage({ query }: { query: URLSearchParams }) {
  const isAdmin = useSession().session.who.kind === 'admin';
  const [isForgetting, setIsForgetting] = useState(false);
  const search = query.get('search') ?? '';
  const skip = Math.max(0, Number.parseInt(query.get('skip') ?? '0', 10) || 0);
  const page = useAnswer(
    `jobs ${skip} ${search}`,
    (signal) => call('listJobs', { query: { skip, limit, ...(search !== '' && { search }) }, signal }),
    ({ jobs }) => (jobs.some(isLive) ? 2_000 : 15_000),
  );
  const goTo = (view: { search: string; skip: number }): void => {
    const params = new URLSearchParams();
    if (view.search !== '') params.set('search', view.search);
    if (view.skip > 0) params.set('skip', String(view.skip));
    navigate(`/jobs${params.size > 0 ? `?${params}` : ''}`);
  };
  return (
    <>
      {isForgetting && <ForgetAddress onClose={() => setIsForgetting(false)} />}
      <PageHead title="Jobs" about="Every list that was uploaded, newest first.">
        <Search
          id="job-search"
          label="Part of a file name"
          placeholder="File name"
          button="Search"
          key={search}
          search={search}
          onSearch={(text) => goTo({ search: text, skip: 0 })}
        />
        {isAdmin && <Button onClick={() => setIsForgetting(true)}>Forget an address</Button>}
      </PageHead>
      <RemoteContent remote={page}>
        {({ jobs, total }) => (
          <section class="panel" aria-label="Jobs">
            {jobs.length > 0 ? <JobTable jobs={jobs} /> : skip === 0 && <NoJobs search={search} />}
            {(total > limit || skip > 0) && (
              <Pager
                skip={skip}
                limit={limit}
                total={total}
                rowCount={jobs.length}
                hasMore={skip + jobs.length < total}
                names={['Newer', 'Older']}
                onSkip={(newSkip) => goTo({ search, skip: newSkip })}
              />
            )}
          </section>
        )}
      </RemoteContent>
    </>
  );
}

function NoJobs({ search }: { search: string }) {
  if (search === '') {
    return (
      <div class="empty">
        <p>No list was uploaded yet.</p>
        <p>
          <Link to="/lists">Upload the first one</Link>
        </p>
      </div>
    );
  }
  return (
    <div class="empty">
      <p>
        No file name contains “<UntrustedText text={search} />
        ”.
      </p>
      <p>
        <Link to="/jobs">Show all jobs</Link>
      </p>
    </div>
  );
}

/** Jobs as rows, with a bar of their results. */
export function JobTable({ jobs }: { jobs: readonly AppJob[] }) {
  return (
    <Table
      about="Jobs"
      stacks
      head={
        <>
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
          <td class="breaks strong">
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
            <UntrustedText text={job.owner.name} />
          </td>
          <td class="tight" data-label="Created">
            <RelativeTime at={job.created_at} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function rowsText(job: AppJob): string {
  const { total = 0, processed = 0 } = job;
  return isLive(job) ? `${formatNumber(processed)} of ${formatNumber(total)}` : formatNumber(total);
}
