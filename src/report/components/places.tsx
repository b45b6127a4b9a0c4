import { amount, count } from '../../model/amount.js';
import { signOf } from '../../model/text/status-sign.js';
import { DomainName } from './domain-name.js';
import { Panel } from './panel.js';
import { shareText } from './share.js';
import { type ByStatus, StatusBar } from './status-bar.js';
import { Table } from './table.js';

/** A domain or a provider, and what became of its rows. */
interface Place {
  name: string;
  rows: number;
  counts: ByStatus;
}

interface PlacesProps {
  title: string;
  /** What one of them is called. */
  kind: 'Domain' | 'Provider';
  places: readonly Place[];
  /** What the list leaves out; `names` is null where nobody counted them. */
  others: { rows: number; names: number | null; counts: ByStatus | null };
  empty: string;
}

/** Where the rows belong, the most frequent first, and how many of each are not valid. */
export function Places({ title, kind, places, others, empty }: PlacesProps) {
  return (
    <Panel title={title}>
      {places.length === 0 ? (
        <p class="muted">{empty}</p>
      ) : (
        <Table
          about={title}
          head={
            <>
              <th>{kind}</th>
              <th class="number">Rows</th>
              <th class="number">Not valid</th>
              <th>
                <span class="unseen">By status</span>
              </th>
            </>
          }
        >
          {places.map(({ name, rows, counts }) => (
            <tr key={name}>
              <td class="breaks">
                <DomainName name={name} />
              </td>
              <td class="number">{count(rows)}</td>
              <NotValid rows={rows} counts={counts} />
              <td class="bar-cell">
                <StatusBar counts={counts} />
              </td>
            </tr>
          ))}
          {others.rows > 0 && (
            <tr class="muted">
              <td>{others.names === null ? 'all others' : amount(others.names, 'other')}</td>
              <td class="number">{count(others.rows)}</td>
              {others.counts === null ? <td /> : <NotValid rows={others.rows} counts={others.counts} />}
              <td class="bar-cell">{others.counts !== null && <StatusBar counts={others.counts} />}</td>
            </tr>
          )}
        </Table>
      )}
    </Panel>
  );
}

/** Half of a place that is not valid is worth a look: the sign is that of what most of them are. */
function NotValid({ rows, counts }: { rows: number; counts: ByStatus }) {
  const bad = rows - counts.valid;
  const marked = rows > 1 && bad * 2 >= rows;
  const main = (['invalid', 'risky', 'unknown'] as const).reduce((most, each) =>
    counts[each] > counts[most] ? each : most,
  );
  return (
    <td class={`number${marked ? ` text-${main}` : ''}`}>
      {shareText(bad, rows)}
      {marked && ` ${signOf(main, true)}`}
    </td>
  );
}
