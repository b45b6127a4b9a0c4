import { useEffect, useState } from 'preact/hooks';
import { formatAmount } from '../../model/amount.js';
import type { JobState } from '../../model/job.js';
import { UntrustedText } from '../../report/components/domain-name.js';
import type { AppJob, JobsQuery } from '../../wire/app-jobs.js';
import { Button } from '../parts/button.js';
import { FormDialog } from '../parts/dialog.js';
import { Search, Select } from '../parts/field.js';
import { isLive, jobName } from '../parts/job-words.js';
import { PageHead } from '../parts/page-head.js';
import { Pager } from '../parts/pager.js';
import { RemoteContent } from '../parts/remote-content.js';
import { Link, navigate } from '../router.js';
import { call, Problem } from '../server/call.js';
import { useAction, useAnswer } from '../server/use-answer.js';
import { useSession } from '../session.js';
import { ForgetAddress } from './forget-address.js';
import { JobTable } from './job-table.js';
import { ChangeRetention, retentionText } from './retention.js';

const limit = 20;

/** What the URL selects, so that "back" works. */
interface JobsView {
  search: string;
  status: JobState | '';
  days: string;
  owner: string;
  skip: number;
}

const states = ['', 'queued', 'running', 'completed', 'failed', 'canceled'] as const;
const periods = { '': 'Any time', 1: 'Last 24 hours', 7: 'Last 7 days', 30: 'Last 30 days', 90: 'Last 90 days' };

/** All jobs, newest first. */
export function JobsPage({ query }: { query: URLSearchParams }) {
  const { session } = useSession();
  const isAdmin = session.who.kind === 'admin';
  const [isKeeping, setIsKeeping] = useState(false);
  const [isForgetting, setIsForgetting] = useState(false);
  const [selected, setSelected] = useState<readonly AppJob[]>([]);
  const [isDeleting, setIsDeleting] = useState(false);
  const view = viewOf(query);
  const { search, status, days, owner, skip } = view;
  const page = useAnswer(
    `jobs ${query}`,
    (signal) => call('listJobs', { query: toQuery(view), signal }),
    ({ jobs }) => (jobs.some(isLive) ? 2_000 : 15_000),
  );
  // Also for links and "back": a job that is not shown is not selected.
  useEffect(() => setSelected([]), [String(query)]);
  const goTo = (change: Partial<JobsView>): void => {
    navigate(pathOf({ ...view, skip: 0, ...change }));
  };
  return (
    <>
      {isKeeping && <ChangeRetention onClose={() => setIsKeeping(false)} />}
      {isForgetting && <ForgetAddress onClose={() => setIsForgetting(false)} />}
      {isDeleting && (
        <DeleteJobs
          jobs={selected}
          onClose={() => setIsDeleting(false)}
          onDeleted={() => {
            setIsDeleting(false);
            setSelected([]);
            page.refresh();
          }}
        />
      )}
      <PageHead
        title="Jobs"
        description={`All uploaded lists, newest first. ${retentionText(session.server.keep_days)}`}
      >
        <Search
          id="job-search"
          label="Part of a file name"
          placeholder="File name"
          button="Search"
          key={search}
          search={search}
          onSearch={(text) => goTo({ search: text })}
        />
        {isAdmin && <Button onClick={() => setIsKeeping(true)}>Keep lists…</Button>}
        {isAdmin && <Button onClick={() => setIsForgetting(true)}>Forget an address</Button>}
      </PageHead>
      <div class="buttons filters">
        <Select
          label="State"
          value={status}
          choices={states.map((name) => [name, name === '' ? 'All states' : name])}
          onChange={(value) => goTo({ status: value as JobsView['status'] })}
        />
        <Select
          label="Created"
          value={days}
          choices={Object.entries(periods).sort(([one], [other]) => Number(one) - Number(other))}
          onChange={(value) => goTo({ days: value })}
        />
        {owner !== '' && <Button onClick={() => goTo({ owner: '' })}>Show the jobs of all users</Button>}
        {selected.length > 0 && (
          <Button kind="danger" onClick={() => setIsDeleting(true)}>
            Delete {formatAmount(selected.length, 'list')}
          </Button>
        )}
      </div>
      <RemoteContent remote={page}>
        {({ jobs, total }) => (
          <section class="panel" aria-label="Jobs">
            {jobs.length > 0 ? (
              <JobTable
                jobs={jobs}
                selection={{ selected, onSelect: setSelected }}
                ownerPath={isAdmin ? (id) => pathOf({ ...view, skip: 0, owner: id }) : undefined}
              />
            ) : (
              skip === 0 && <NoJobs view={view} />
            )}
            {(total > limit || skip > 0) && (
              <Pager
                skip={skip}
                limit={limit}
                total={total}
                rowCount={jobs.length}
                hasMore={skip + jobs.length < total}
                names={['Newer', 'Older']}
                onSkip={(newSkip) => goTo({ skip: newSkip })}
              />
            )}
          </section>
        )}
      </RemoteContent>
    </>
  );
}

function viewOf(query: URLSearchParams): JobsView {
  const text = (name: string): string => query.get(name) ?? '';
  return {
    search: text('search'),
    status: states.find((state) => state === text('status')) ?? '',
    days: Object.hasOwn(periods, text('days')) ? text('days') : '',
    owner: text('owner'),
    skip: Math.max(0, Number.parseInt(text('skip'), 10) || 0),
  };
}

function toQuery({ search, status, days, owner, skip }: JobsView): JobsQuery {
  return {
    ...{ skip, limit },
    ...(search !== '' && { search }),
    ...(status !== '' && { status }),
    ...(days !== '' && { days: Number(days) }),
    ...(owner !== '' && { owner }),
  };
}

function pathOf(view: JobsView): string {
  const parts = Object.entries(view).filter(([, value]) => value !== '' && value !== 0);
  const params = new URLSearchParams(parts.map(([name, value]) => [name, String(value)]));
  return `/jobs${params.size > 0 ? `?${params}` : ''}`;
}

function NoJobs({ view: { search, status, days, owner } }: { view: JobsView }) {
  if (`${search}${status}${days}${owner}` === '') {
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
      {search === '' ? (
        <p>No jobs match these filters.</p>
      ) : (
        <p>
          No file name contains “<UntrustedText text={search} />
          ”.
        </p>
      )}
      <p>
        <Link to="/jobs">Show all jobs</Link>
      </p>
    </div>
  );
}

function DeleteJobs({
  jobs,
  onClose,
  onDeleted,
}: {
  jobs: readonly AppJob[];
  onClose: () => void;
  onDeleted: () => void;
}) {
  const remove = useAction(async (signal) => {
    for (const { id } of jobs) {
      await call('deleteJob', { id, signal }).catch((problem: unknown) => {
        // It was deleted meanwhile.
        if (!(problem instanceof Problem && problem.status === 404)) throw problem;
      });
    }
    onDeleted();
  });
  const title = jobs.length === 1 ? 'Delete this list?' : `Delete ${formatAmount(jobs.length, 'list')}?`;
  return (
    <FormDialog title={title} button="Delete" cancel="Keep" danger action={remove} onClose={onClose}>
      <p>Files, addresses and results are deleted permanently:</p>
      <ul>
        {jobs.map((job) => (
          <li key={job.id} class="breaks">
            <UntrustedText text={jobName(job)} />
          </li>
        ))}
      </ul>
    </FormDialog>
  );
}
