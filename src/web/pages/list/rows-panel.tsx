import { formatNumber } from '../../../model/amount.js';
import { emptyVerdict, type RowVerdict, suppressedVerdict } from '../../../model/job.js';
import { headlineOf } from '../../../model/text/headline.js';
import { safeText } from '../../../model/text/safe-text.js';
import { signOf, statusOrder } from '../../../model/text/status-sign.js';
import { UntrustedText } from '../../../report/components/domain-name.js';
import { type Column, Table } from '../../../report/components/panel.js';
import { Badge, StatusBadge } from '../../../report/components/status-bar.js';
import type { AppJob, AppRow, RowPage } from '../../../wire/app.js';
import { Search } from '../../parts/field.js';
import { isLive } from '../../parts/job-words.js';
import { Pager } from '../../parts/pager.js';
import { RemoteContent } from '../../parts/remote-content.js';
import { navigate, skipIn, withQuery } from '../../router.js';
import { call } from '../../server/call.js';
import { useAnswer } from '../../server/use-answer.js';

const limit = 50;

/** What the panel shows; in the URL, so that "back" and a copied link work. */
interface RowsView {
  statuses: readonly string[];
  search: string;
  skip: number;
  /** Shows the other columns of the list. */
  isWide: boolean;
}

function viewIn(query: URLSearchParams): RowsView {
  return {
    statuses: (query.get('only') ?? '').split(',').filter((status) => filterStatuses.includes(status)),
    search: query.get('search') ?? '',
    skip: skipIn(query),
    isWide: query.get('columns') === 'all',
  };
}

function urlOf(job: AppJob, { statuses, search, skip, isWide }: RowsView): string {
  const query = { only: statuses.join(','), search, skip, columns: isWide && 'all' };
  return withQuery(`/lists/${encodeURIComponent(job.id)}`, query);
}

/** A row that was not vetted. */
function isUncounted(status: string): boolean {
  return status === emptyVerdict.status || status === suppressedVerdict.status;
}

const filterStatuses = [...statusOrder, emptyVerdict.status, suppressedVerdict.status];

/** Pages of rows, by status and search text. */
export function RowsPanel({ job, query: urlQuery }: { job: AppJob; query: URLSearchParams }) {
  const view = viewIn(urlQuery);
  const { statuses, search, skip, isWide } = view;
  const show = (change: Partial<RowsView>): void => navigate(urlOf(job, { ...view, skip: 0, ...change }));
  const query = {
    skip,
    limit,
    ...(statuses.length > 0 && { only: statuses.join(',') }),
    ...(search !== '' && { search }),
  };
  const page = useAnswer(
    `rows ${job.id} ${JSON.stringify(query)} ${isLive(job)}`,
    (signal) => call('jobRows', { id: job.id, query, signal }),
    () => (isLive(job) ? 5_000 : null),
  );
  const toggleStatus = (status: string): void =>
    show({ statuses: statuses.includes(status) ? statuses.filter((each) => each !== status) : [...statuses, status] });
  return (
    <section class="panel" aria-label="Rows">
      <div class="space-between rows-head">
        <h2>Rows</h2>
        <fieldset class="chips">
          <legend class="visually-hidden">Show only</legend>
          {filterStatuses.map((status) => (
            <label key={status} class={statuses.includes(status) ? 'chip chosen' : 'chip'}>
              <input type="checkbox" checked={statuses.includes(status)} onChange={() => toggleStatus(status)} />
              <span aria-hidden="true">{isUncounted(status) ? '–' : signOf(status, true)} </span>
              {status}
            </label>
          ))}
          <label class={isWide ? 'chip chosen' : 'chip'}>
            <input type="checkbox" checked={isWide} onChange={() => show({ isWide: !isWide, skip })} />
            all columns
          </label>
        </fieldset>
        <Search
          key={search}
          id="row-search"
          label="Search rows"
          placeholder="Search rows"
          button="Filter"
          search={search}
          onSearch={(text) => show({ search: text })}
        />
      </div>
      <RemoteContent remote={page}>
        {(answer) => (
          <>
            {answer.rows.length === 0 ? (
              <p class="muted empty">No matching rows.</p>
            ) : (
              <RowTable page={answer} otherColumns={isWide ? otherColumnsOf(answer) : []} />
            )}
            <Pager
              {...{ skip, limit }}
              rowCount={answer.rows.length}
              hasMore={answer.more}
              names={['Back', 'Next']}
              onSkip={(newSkip) => show({ skip: newSkip })}
            />
          </>
        )}
      </RemoteContent>
    </section>
  );
}

const maxOtherColumns = 30;

/** Indexes of the columns without addresses. */
function otherColumnsOf({ columns, email_columns: emailColumns }: RowPage): number[] {
  return [...columns.keys()].filter((at) => !emailColumns.includes(at)).slice(0, maxOtherColumns);
}

function RowTable({ page, otherColumns }: { page: RowPage; otherColumns: readonly number[] }) {
  const columns: Column<AppRow>[] = [
    {
      ...{ name: 'Row', class: 'number muted row-number', isBare: true, title: 'Counted from 1, the header included' },
      cell: ({ number }) => formatNumber(number),
    },
    { name: 'Address', class: 'breaks', isBare: true, cell: ({ email }) => <UntrustedText text={email} /> },
    {
      ...{ name: 'Status', isBare: true },
      cell: ({ verdict }) => (verdict === null ? <span class="muted">waiting</span> : <Verdict verdict={verdict} />),
    },
    { name: 'Why', isBare: true, cell: (row) => <Why row={row} /> },
    ...otherColumns.map((at) => ({
      ...{ name: safeText(page.columns[at] || `Column ${at + 1}`), class: 'breaks' },
      cell: ({ cells }: AppRow) => <UntrustedText text={cells[at] ?? ''} />,
    })),
  ];
  return <Table caption="Rows of the list" stacks columns={columns} rows={page.rows} />;
}

function Verdict({ verdict }: { verdict: RowVerdict }) {
  // Not counted as unknown, so without its sign.
  if (isUncounted(verdict.status)) return <Badge sign="–" word={verdict.status} tone="unknown" />;
  const badge = { ...headlineOf(verdict, true), word: verdict.status };
  return badge.tone === 'plausible' ? <Badge {...badge} /> : <StatusBadge status={verdict.status} />;
}

function Why({ row: { verdict } }: { row: AppRow }) {
  if (verdict === null) return null;
  return (
    <>
      {verdict.means}
      {verdict.did_you_mean !== null && (
        <>
          {' '}
          Did you mean <UntrustedText text={verdict.did_you_mean} class="breaks strong" />?
        </>
      )}
    </>
  );
}
