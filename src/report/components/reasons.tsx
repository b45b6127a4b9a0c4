import { formatNumber } from '../../model/amount.js';
import { safeText } from '../../model/text/safe-text.js';
import { reasonPhrase } from '../../model/text/sentences.js';
import { signOf } from '../../model/text/status-sign.js';
import type { Status } from '../../model/verdict.js';
import { splitReasons } from '../shown-stats.js';
import { type Column, Panel, Table } from './panel.js';
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
  const rows = [
    ...topReasons,
    ...(otherCount > 0 ? [{ code: null, status: 'unknown' as const, count: otherCount }] : []),
  ];
  const columns: Column<(typeof rows)[number]>[] = [
    {
      name: 'Reason',
      cell: ({ code, status }) =>
        code === null ? (
          <span class="muted">Other reasons</span>
        ) : (
          <>
            <span class={`text-${toneOf(code, status)}`}>
              <span aria-hidden="true">{code === 'not_probed' ? '~' : signOf(status, true)}</span>
              <span class="visually-hidden">{status}:</span>
            </span>{' '}
            {phraseOf(code, status)}
          </>
        ),
    },
    { name: 'Addresses', class: 'number', cell: ({ count }) => formatNumber(count) },
    {
      name: 'Share',
      class: 'bar-cell',
      cell: ({ code, status, count }) =>
        code !== null && <ShareBar share={count / largest} tone={toneOf(code, status)} />,
    },
  ];
  return (
    <Panel title="Reasons">
      <Table caption="Reasons with their number of addresses" hasHead={false} {...{ columns, rows, empty }} />
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
