import { useEffect, useState } from 'preact/hooks';
import { formatAmount, formatNumber } from '../../../model/amount.js';
import { UntrustedText } from '../../../report/components/domain-name.js';
import { type Column, Table } from '../../../report/components/panel.js';
import { StatusBar, shareText, sumOf, toCountByStatus } from '../../../report/components/status-bar.js';
import type { AppJob } from '../../../wire/app.js';
import { type QueryOf, routes } from '../../../wire/routes.js';
import { Button } from '../../parts/button.js';
import { Search, Select } from '../../parts/field.js';
import { isLive, JobBadge, jobName } from '../../parts/job-words.js';
import { Pager } from '../../parts/pager.js';
import { RemoteContent } from '../../parts/remote-content.js';
import { ConfirmDialog, type DialogState, useDialog } from '../../parts/things.js';
import { RelativeTime } from '../../parts/time.js';
import { Link, navigate, skipIn, withQuery } from '../../router.js';
import { call, Problem } from '../../server/call.js';
import { useAnswer } from '../../server/use-answer.js';
import { useSession } from '../../session.js';

const limits = ['20', '50', '100'] as const;
const states = routes.listLists.query.properties.status.enum;

/** What the URL selects, so that "back" works. */
type View = Required<Omit<QueryOf<'listLists'>, 'status'>> & { status: (typeof states)[number] | '' };

/** All lists, newest first. */
export function AllLists({ query }: { query: URLSearchParams }) {
  const isAdmin = useSession().session.who.kind === 'admin';
  const [selected, setSelected] = useState<readonly AppJob[]>([]);
  const view = viewOf(query);
  const { search, status, owner, skip, limit } = view;
  const page = useAnswer(
    `lists ${query}`,
    (signal) =>
      call('listLists', {
        query: {
          ...{ skip, limit },
          ...(search !== '' && { search }),
          ...(status !== '' && { status }),
          ...(owner !== '' && { owner }),
        },
        signal,
      }),
    ({ jobs }) => (jobs.some(isLive) ? 2_000 : 15_000),
  );
  const within = useDialog(() => {
    setSelected([]);
    page.refresh();
  });
  // Also for links and "back": a list that is not shown is not selected.
  useEffect(() => setSelected([]), [String(query)]);
  const goTo = (change: Partial<View>): void => navigate(pathOf({ ...view, skip: 0, ...change }));
  const done = page.answer?.jobs.filter((list) => !isLive(list)) ?? [];
  const isAnySelected = selected.length > 0;
  return (
    <section class="panel" aria-label="Lists">
      <div class="space-between">
        <h2>All lists</h2>
        <div class="buttons filters">
          <Search
            id="list-search"
            label="Part of a file name"
            placeholder="File name"
            button="Search"
            key={search}
            search={search}
            onSearch={(text) => goTo({ search: text })}
          />
          <Select
            label="State"
            value={status}
            choices={[['', 'All states'], ...states.map((name) => [name, name] as const)]}
            onChange={(value) => goTo({ status: states.find((state) => state === value) ?? '' })}
          />
          <Select
            label="Rows per page"
            value={String(limit)}
            choices={limits.map((each) => [each, each])}
            onChange={(value) => goTo({ limit: Number(value) })}
          />
        </div>
      </div>
      {(owner !== '' || done.length > 0) && (
        <div class="buttons filters">
          {owner !== '' && <Button onClick={() => goTo({ owner: '' })}>Show the lists of all users</Button>}
          {done.length > 0 && (
            <Button kind="quiet" onClick={() => setSelected(isAnySelected ? [] : done)}>
              {isAnySelected ? 'Select none' : 'Select all that have ended'}
            </Button>
          )}
          {isAnySelected && (
            <Button kind="danger" onClick={() => within.open(<DeleteLists lists={selected} within={within} />)}>
              {`Delete ${formatAmount(selected.length, 'list')}…`}
            </Button>
          )}
        </div>
      )}
      <RemoteContent remote={page}>
        {({ jobs, total }) => (
          <>
            {jobs.length > 0 ? (
              <ListTable
                lists={jobs}
                selected={selected}
                onSelect={setSelected}
                ownerPath={isAdmin ? (id) => pathOf({ ...view, skip: 0, owner: id }) : null}
              />
            ) : (
              skip === 0 && <NoLists view={view} />
            )}
            <Pager {...{ skip, limit, total }} rowCount={jobs.length} onSkip={(newSkip) => goTo({ skip: newSkip })} />
          </>
        )}
      </RemoteContent>
      {within.dialog}
    </section>
  );
}

function viewOf(query: URLSearchParams): View {
  const text = (name: string): string => query.get(name) ?? '';
  return {
    search: text('search'),
    status: states.find((state) => state === text('status')) ?? '',
    owner: text('owner'),
    skip: skipIn(query),
    limit: Number(limits.find((each) => each === text('limit')) ?? limits[0]),
  };
}

function pathOf(view: View): string {
  return withQuery('/lists', { ...view, limit: view.limit === 20 ? '' : view.limit });
}

function NoLists({ view: { search, status, owner } }: { view: View }) {
  if (`${search}${status}${owner}` === '') {
    return <p class="empty muted">No list was uploaded yet. Choose one above.</p>;
  }
  return (
    <div class="empty">
      {search === '' ? (
        <p>No lists match these filters.</p>
      ) : (
        <p>
          No file name contains “<UntrustedText text={search} />
          ”.
        </p>
      )}
      <p>
        <Link to="/lists">Show all lists</Link>
      </p>
    </div>
  );
}

/** Asks first. A list that has not ended is canceled before. */
export function DeleteLists({ lists, within }: { lists: readonly AppJob[]; within: DialogState }) {
  const work = async (signal: AbortSignal): Promise<void> => {
    for (const list of lists) {
      try {
        if (isLive(list)) await call('cancelJob', { id: list.id, signal });
        await call('deleteJob', { id: list.id, signal });
      } catch (problem) {
        // It was deleted meanwhile.
        if (!(problem instanceof Problem && problem.status === 404)) throw problem;
      }
    }
  };
  const title = lists.length === 1 ? 'Delete this list?' : `Delete ${formatAmount(lists.length, 'list')}?`;
  return (
    <ConfirmDialog title={title} button="Delete" cancel="Keep" {...{ work, within }}>
      <p>Files, addresses and results are deleted permanently{lists.some(isLive) && ', after they were stopped'}:</p>
      <ul>
        {lists.map((list) => (
          <li key={list.id} class="breaks">
            <UntrustedText text={jobName(list)} />, {formatAmount(list.total ?? 0, 'row')}
          </li>
        ))}
      </ul>
    </ConfirmDialog>
  );
}

interface ListTableProps {
  lists: readonly AppJob[];
  selected: readonly AppJob[];
  onSelect: (lists: readonly AppJob[]) => void;
  /** The page with the lists of an owner. */
  ownerPath: ((ownerId: string) => string) | null;
}

/** Lists as rows, with a bar of their results. Those that have ended can be selected. */
function ListTable({ lists, selected, onSelect, ownerPath }: ListTableProps) {
  const columns: Column<AppJob>[] = [
    {
      ...{ name: 'Select', isHidden: true },
      cell: (list) => {
        const others = selected.filter(({ id }) => id !== list.id);
        return (
          <input
            type="checkbox"
            aria-label={`Select ${jobName(list)}`}
            checked={others.length < selected.length}
            disabled={isLive(list)}
            onChange={(event) => onSelect(event.currentTarget.checked ? [...others, list] : others)}
          />
        );
      },
    },
    {
      ...{ name: 'File', class: 'breaks strong name', isBare: true },
      cell: (list) => (
        <Link to={`/lists/${encodeURIComponent(list.id)}`}>
          <UntrustedText text={jobName(list)} />
        </Link>
      ),
    },
    { name: 'State', isBare: true, cell: (list) => <JobBadge job={list} /> },
    { name: 'Rows', class: 'number', cell: rowsText },
    {
      ...{ name: 'Result', class: 'bar-cell', isBare: true },
      cell: (list) => <StatusBar counts={toCountByStatus(list)} total={addressesIn(list)} />,
    },
    {
      ...{ name: 'Valid', class: 'number' },
      cell: (list) => shareText(list.valid_count ?? 0, sumOf(toCountByStatus(list))),
    },
    {
      ...{ name: 'By', class: 'by' },
      cell: ({ owner }) => (
        <>
          {owner.kind === 'key' && <span class="muted">key </span>}
          {ownerPath === null ? (
            <UntrustedText text={owner.name} />
          ) : (
            <Link to={ownerPath(owner.id)}>
              <UntrustedText text={owner.name} />
            </Link>
          )}
        </>
      ),
    },
    { name: 'Created', class: 'tight', cell: (list) => <RelativeTime at={list.created_at} /> },
  ];
  return <Table caption="Lists" stacks columns={columns} rows={lists} keyOf={({ id }) => id} />;
}

function addressesIn({ total = 0, empty_count: empty = 0, duplicate_count: duplicates = 0 }: AppJob): number {
  return total - empty - duplicates;
}

function rowsText(list: AppJob): string {
  const { total = 0, processed = 0 } = list;
  return isLive(list) ? `${formatNumber(processed)} of ${formatNumber(total)}` : formatNumber(total);
}
