import { formatNumber } from '../../model/amount.js';
import { Button } from './button.js';

interface PagerProps {
  skip: number;
  limit: number;
  rowCount: number;
  /** Absent if unknown. */
  total?: number;
  hasMore?: boolean;
  onSkip: (skip: number) => void;
  names?: readonly [back: string, on: string];
}

/** The range that is shown, with links to the previous and next page; nothing if there is only one. */
export function Pager({ skip, limit, rowCount, total = 0, onSkip, names = ['Newer', 'Older'], ...rest }: PagerProps) {
  const { hasMore = skip + rowCount < total } = rest;
  if (!hasMore && skip === 0) return null;
  const range = rowCount === 0 ? 'None' : `${formatNumber(skip + 1)}–${formatNumber(skip + rowCount)}`;
  return (
    <div class="pager">
      <p class="muted">
        {range}
        {total > 0 && ` of ${formatNumber(total)}`}
      </p>
      <div class="buttons">
        <Button disabled={skip === 0} onClick={() => onSkip(Math.max(0, skip - limit))}>
          {names[0]}
        </Button>
        <Button disabled={!hasMore} onClick={() => onSkip(skip + limit)}>
          {names[1]}
        </Button>
      </div>
    </div>
  );
}
