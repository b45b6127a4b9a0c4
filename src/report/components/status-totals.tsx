import { count } from '../../model/amount.js';
import { statusOrder } from '../../model/text/status-sign.js';
import { shareText } from './share.js';
import { Badge, StatusBadge } from './status-badge.js';
import { type ByStatus, sumOf } from './status-bar.js';

/** The four counts with their shares. Without a mailbox check for any of them, `valid` has no tick. */
export function StatusTotals({ counts, unprobed = 0 }: { counts: ByStatus; unprobed?: number }) {
  const whole = sumOf(counts);
  return (
    <dl class="totals">
      {statusOrder.map((status) => (
        <div key={status}>
          <dt>
            {status === 'valid' && unprobed > 0 && unprobed === counts.valid ? (
              <Badge sign="~" word="plausible, not probed" tone="plausible" />
            ) : (
              <StatusBadge status={status} />
            )}
          </dt>
          <dd>{count(counts[status])}</dd>
          <dd>
            {shareText(counts[status], whole)}
            {status === 'valid' && unprobed > 0 && unprobed < counts.valid && ` · ${count(unprobed)} not probed`}
          </dd>
        </div>
      ))}
    </dl>
  );
}
