import { formatAmount, formatNumber } from '../../model/amount.js';
import { signOf } from '../../model/text/status-sign.js';
import { DomainName } from './domain-name.js';
import { Panel, Table } from './panel.js';
import { type CountByStatus, StatusBar, shareText } from './status-bar.js';

/** A domain or a provider. */
interface NameRow {
  name: string;
  rows: number;
  counts: CountByStatus;
}

interface NameTableProps {
  title: string;
  kind: 'Domain' | 'Provider';
  names: readonly NameRow[];
  /** The rest of the list; `names` is null if unknown. */
  others: { rows: number; names: number | null; counts: CountByStatus | null };
  empty: string;
}

/** Domains or providers by frequency, with the share that is not valid. */
export function NameTable({ title, kind, names, others, empty }: NameTableProps) {
  return (
    <Panel title={title}>
      {names.length === 0 ? (
        <p class="muted">{empty}</p>
      ) : (
        <Table
          caption={title}
          head={
            <>
              <th>{kind}</th>
              <th class="number" title="Different addresses, without duplicates">
                Addresses
              </th>
              <th class="number">Not valid</th>
              <th>
                <span class="visually-hidden">By status</span>
              </th>
            </>
          }
        >
          {names.map(({ name, rows, counts }) => (
            <tr key={name}>
              <td class="breaks">
                <DomainName name={name} />
              </td>
              <td class="number">{formatNumber(rows)}</td>
              <NotValid rows={rows} counts={counts} />
              <td class="bar-cell">
                <StatusBar counts={counts} />
              </td>
            </tr>
          ))}
          {others.rows > 0 && (
            <tr class="muted">
              <td>{others.names === null ? 'all others' : formatAmount(others.names, 'other')}</td>
              <td class="number">{formatNumber(others.rows)}</td>
              {others.counts === null ? <td /> : <NotValid rows={others.rows} counts={others.counts} />}
              <td class="bar-cell">{others.counts !== null && <StatusBar counts={others.counts} />}</td>
            </tr>
          )}
        </Table>
      )}
    </Panel>
  );
}

/** Marks names with at least half of their rows not valid, by the most frequent status. */
function NotValid({ rows, counts }: { rows: number; counts: CountByStatus }) {
  const bad = rows - counts.valid;
  const isMarked = rows > 1 && bad * 2 >= rows;
  const main = (['invalid', 'risky', 'unknown'] as const).reduce((most, each) =>
    counts[each] > counts[most] ? each : most,
  );
  return (
    <td class={`number${isMarked ? ` text-${main}` : ''}`}>
      {shareText(bad, rows)}
      {isMarked && ` ${signOf(main, true)}`}
    </td>
  );
}
