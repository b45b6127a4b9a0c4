import { formatNumber } from '../../model/amount.js';
import type { Status } from '../../model/verdict.js';

/** From the bottom up. */
interface ChartColumn {
  /** The tooltip. */
  label: string;
  parts: readonly { kind: Status | 'accent'; value: number }[];
}

/** A stacked column chart. `label` is its text alternative. */
export function ColumnChart({
  columns,
  label,
  ends,
}: {
  columns: readonly ChartColumn[];
  label: string;
  ends: readonly [string, string];
}) {
  const sums = columns.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0));
  const tallest = Math.max(1, ...sums);
  const step = 600 / Math.max(1, columns.length);
  const width = step * (columns.length > 60 ? 0.9 : 0.8);
  return (
    <figure class="figure">
      <svg class="chart" viewBox="0 0 600 120" preserveAspectRatio="none" role="img" aria-label={label}>
        {[0.5, 60, 119.5].map((y) => (
          <line key={y} x1="0" x2="600" y1={y} y2={y} />
        ))}
        {columns.map(({ label, parts }, at) => {
          let top = 120;
          return (
            <g key={label}>
              <title>{label}</title>
              {parts.map(({ kind, value }) => {
                const height = (value / tallest) * 118;
                top -= height;
                return (
                  value > 0 && (
                    <rect
                      key={kind}
                      class={`fill-${kind}`}
                      x={at * step + (step - width) / 2}
                      y={top}
                      width={width}
                      height={height}
                    />
                  )
                );
              })}
            </g>
          );
        })}
      </svg>
      <figcaption class="chart-ends">
        <span>{ends[0]}</span>
        <span>at most {formatNumber(tallest)}</span>
        <span>{ends[1]}</span>
      </figcaption>
    </figure>
  );
}
