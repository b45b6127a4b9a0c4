import { count } from '../../model/amount.js';
import { statusOrder } from '../../model/words/status-sign.js';
import { shareText } from './share.js';
import { StatusBadge } from './status-badge.js';
import { type ByStatus, sumOf } from './status-bar.js';

/** The four counts, large, with their shares. */
export function StatusTotals({ counts }: { counts: ByStatus }) {
  const whole = sumOf(counts);
  return (
    <dl class="totals">
      {statusOrder.map((status) => (
        <div key={status}>
          <dt>
            <StatusBadge status={status} />
          </dt>
          <dd>{count(counts[status])}</dd>
          <dd>{shareText(counts[status], whole)}</dd>
        </div>
      ))}
    </dl>
  );
}
