import { count } from '../../model/amount.js';
import type { Status } from '../../model/verdict.js';
import { signOf } from '../../model/words/status-sign.js';
import { Panel } from './panel.js';
import { ShareBar } from './status-bar.js';

/** A reason in words, and how often it occurred. */
export interface Reason {
  means: string;
  advice: string;
  status: Status;
  count: number;
}

/** Why rows are not simply valid, the commonest first. */
export function Reasons({ reasons, most = 8 }: { reasons: readonly Reason[]; most?: number }) {
  const shown = reasons.slice(0, most);
  const largest = Math.max(1, ...shown.map((reason) => reason.count));
  const rest = reasons.slice(most).reduce((sum, reason) => sum + reason.count, 0);
  return (
    <Panel title="Why">
      {shown.length === 0 ? (
        <p class="muted">Nothing was found that speaks against an address.</p>
      ) : (
        <div class="wide">
          <table>
            <caption class="unseen">Reasons, and how many rows each holds for</caption>
            <tbody>
              {shown.map(({ means, status, count: rows }) => (
                <tr key={means}>
                  <td>
                    <span class={`text-${status}`}>
                      <span aria-hidden="true">{signOf(status, true)}</span>
                      <span class="unseen">{status}:</span>
                    </span>{' '}
                    {firstSentence(means)}
                  </td>
                  <td class="number">{count(rows)}</td>
                  <td class="bar-cell">
                    <ShareBar share={rows / largest} status={status} />
                  </td>
                </tr>
              ))}
              {rest > 0 && (
                <tr>
                  <td class="muted">Other reasons</td>
                  <td class="number">{count(rest)}</td>
                  <td />
                </tr>
              )}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

/** What follows it is for the one address that it is said of. */
function firstSentence(text: string): string {
  const end = text.indexOf('. ');
  return end === -1 ? text : text.slice(0, end + 1);
}
