import { useState } from 'preact/hooks';
import { formatNumber } from '../../../model/amount.js';
import type { RowVerdict } from '../../../model/job.js';
import { headlineOf } from '../../../model/text/headline.js';
import { signOf, statusOrder } from '../../../model/text/status-sign.js';
import { Foreign } from '../../../report/components/domain-name.js';
import { Table } from '../../../report/components/panel.js';
import { Badge, StatusBadge } from '../../../report/components/status-bar.js';
import type { AppJob, AppRow, RowPage } from '../../../wire/app-jobs.js';
import { Search } from '../../parts/field.js';
import { isLive } from '../../parts/job-words.js';
import { Pager } from '../../parts/pager.js';
import { RemoteContent } from '../../parts/remote-content.js';
import { call } from '../../server/call.js';
import { useAnswer } from '../../server/use-answer.js';

const limit = 50;

/** Pages of rows, by status and search text. */
export function RowsPanel({ job }: { job: AppJob }) {
  const [statuses, setStatuses] = useState<readonly string[]>([]);
  const [search, setSearch] = useState('');
  const [skip, setSkip] = useState(0);
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
  const toggleStatus = (status: string): void => {
    setStatuses(statuses.includes(status) ? statuses.filter((each) => each !== status) : [...statuses, status]);
    setSkip(0);
  };
  return (
    <section class="panel" aria-label="Rows">
      <div class="apart rows-head">
        <h2>Rows</h2>
        <fieldset class="chips">
          <legend class="unseen">Show only</legend>
          {statusOrder.map((status) => (
            <label key={status} class={statuses.includes(status) ? 'chip chosen' : 'chip'}>
              <input type="checkbox" checked={statuses.includes(status)} onChange={() => toggleStatus(status)} />
              <span aria-hidden="true">{signOf(status, true)} </span>
              {status}
            </label>
          ))}
        </fieldset>
        <Search
          id="row-search"
          label="Search rows"
          placeholder="Search rows"
          button="Filter"
          search=""
          onSearch={(text) => {
            setSearch(text);
            setSkip(0);
          }}
        />
      </div>
      <RemoteContent remote={page}>
        {(answer) => (
          <>
            {answer.rows.length === 0 ? <p class="muted empty">No matching rows.</p> : <RowTable page={answer} />}
            {(answer.more || skip > 0) && (
              <Pager
                skip={skip}
                limit={limit}
                total={null}
                rowCount={answer.rows.length}
                hasMore={answer.more}
                onSkip={setSkip}
              />
            )}
          </>
        )}
      </RemoteContent>
    </section>
  );
}

function RowTable({ page }: { page: RowPage }) {
  return (
    <Table
      about="Rows of the list"
      stacks
      head={
        <>
          <th class="number" title="Counted from 1, the header included">
            Row
          </th>
          <th>Address</th>
          <th>Status</th>
          <th>Why</th>
        </>
      }
    >
      {page.rows.map((row) => (
        <tr key={row.number}>
          <td class="number muted">{formatNumber(row.number)}</td>
          <td class="breaks">
            <Foreign text={row.email} />
          </td>
          <td>{row.verdict === null ? <NoVerdict row={row} /> : <Verdict verdict={row.verdict} />}</td>
          <td>
            <Why row={row} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function NoVerdict({ row: { unpaired } }: { row: AppRow }) {
  return <span class="muted">{unpaired === undefined ? 'waiting' : 'not vetted'}</span>;
}

function Verdict({ verdict }: { verdict: RowVerdict }) {
  const { sign, word, tone } = headlineOf(verdict, true);
  return tone === 'plausible' ? <Badge sign={sign} word={word} tone={tone} /> : <StatusBadge status={verdict.status} />;
}

function Why({ row: { verdict } }: { row: AppRow }) {
  if (verdict === null) return null;
  return (
    <>
      {verdict.means}
      {verdict.did_you_mean !== null && (
        <>
          {' '}
          Meant: <Foreign text={verdict.did_you_mean} class="breaks strong" />
        </>
      )}
    </>
  );
}
