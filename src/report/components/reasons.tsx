import { formatNumber } from '../../model/amount.js';
import { reasonPhrase } from '../../model/text/reason-phrases.js';
import { safeText } from '../../model/text/safe-text.js';
import { signOf } from '../../model/text/status-sign.js';
import type { Status } from '../../model/verdict.js';
import { splitReasons } from '../top-reasons.js';
import { Panel, Table } from './panel.js';
import { ShareBar } from './status-bar.js';

/** A sub_status and its count. */
export interface Reason {
  code: string;
  status: Status;
  count: number;
}

/** Reasons other than plain `valid`, by frequency. */
export function Reasons({
  reasons,
  limit = 8,
  empty = 'No problems were found.',
}: {
  reasons: readonly Reason[];
  limit?: number;
  empty?: string | undefined;
}) {
  const { shown: topReasons, others } = splitReasons(reasons, limit);
  const largest = Math.max(1, ...topReasons.map((reason) => reason.count));
  const otherCount = others.reduce((sum, reason) => sum + reason.count, 0);
  return (
    <Panel title="Reasons">
      {topReasons.length === 0 ? (
        <p class="muted">{empty}</p>
      ) : (
        <Table caption="Reasons with their number of addresses">
          {topReasons.map(({ code, status, count: rows }) => (
            <tr key={`${code} ${status}`}>
              <td>
                <span class={`text-${toneOf(code, status)}`}>
                  <span aria-hidden="true">{code === 'not_probed' ? '~' : signOf(status, true)}</span>
                  <span class="visually-hidden">{status}:</span>
                </span>{' '}
                {phraseOf(code, status)}
              </td>
              <td class="number">{formatNumber(rows)}</td>
              <td class="bar-cell">
                <ShareBar share={rows / largest} tone={toneOf(code, status)} />
              </td>
            </tr>
          ))}
          {otherCount > 0 && (
            <tr>
              <td class="muted">Other reasons</td>
              <td class="number">{formatNumber(otherCount)}</td>
              <td />
            </tr>
          )}
        </Table>
      )}
    </Panel>
  );
}

/** Partly checked addresses have their own color. */
function toneOf(code: string, status: Status): Status | 'plausible' {
  return code === 'not_probed' ? 'plausible' : status;
}

function phraseOf(code: string, status: Status): string {
  const phrase = safeText(reasonPhrase(code, status));
  return phrase.slice(0, 1).toUpperCase() + phrase.slice(1);
}
