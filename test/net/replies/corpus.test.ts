import { describe, expect, test } from 'vitest';
import { labelledReplies, readLabelled } from './corpus.js';

describe.each([
  { name: 'tuned', floor: 0.98 },
  { name: 'aside', floor: 0.97 },
  { name: 'second-look', floor: 0.95 },
  { name: 'third-look', floor: 0.97 },
  { name: 'fourth-look', floor: 0.97 },
  { name: 'fifth-tuned', floor: 0.97 },
  { name: 'fifth-aside', floor: 0.97 },
  { name: 'sixth-look', floor: 0.97 },
  { name: 'seventh-tuned', floor: 0.97 },
  { name: 'seventh-aside', floor: 0.97 },
  { name: 'eighth-look', floor: 0.97 },
  { name: 'ninth-tuned', floor: 0.97 },
  { name: 'ninth-aside', floor: 0.97 },
  { name: 'tenth-look', floor: 0.97 },
  { name: 'eleventh-look', floor: 0.97 },
  { name: 'twelfth-tuned', floor: 0.97 },
  { name: 'thirteenth-look', floor: 0.97 },
  { name: 'fourteenth-look', floor: 0.97 },
  { name: 'fifteenth-tuned', floor: 0.97 },
  { name: 'fifteenth-aside', floor: 0.97 },
])('published replies, $name', ({ name, floor }) => {
  const read = labelledReplies(name).map((row) => ({ row, ...readLabelled(row) }));
  const share = (count: number) => `${count} of ${read.length} (${((100 * count) / read.length).toFixed(1)} %)`;

  test('no good address is called invalid, and nearly all are read as labelled', () => {
    const asLabelled = read.filter((each) => each.asLabelled).length;
    const sameStatus = read.filter((each) => each.sameStatus).length;
    const invalid = read.filter((each) => each.goodCalledInvalid);
    const others = read.filter((each) => !each.asLabelled);
    console.log(
      `${name}: as labelled ${share(asLabelled)}, same status ${share(sameStatus)}, ${invalid.length} good called invalid`,
    );
    if (process.env['REPLIES'] === name) {
      for (const { row, reason, alone, goodCalledInvalid } of others)
        console.log(
          `${goodCalledInvalid ? '!! ' : ''}${row.labels.join('|')} <- ${reason}${alone.vague ? ' (vague)' : ''} by ${alone.rule} "${alone.phrase ?? ''}": ${row.text.replaceAll('\n', ' / ')}`,
        );
    }
    expect(invalid.map(({ row }) => row.text)).toEqual([]);
    expect(sameStatus / read.length).toBeGreaterThanOrEqual(0.98);
    expect(asLabelled / read.length).toBeGreaterThanOrEqual(floor);
  });
});
