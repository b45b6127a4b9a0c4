import { describe, expect, test } from 'vitest';
import { areaUnderCurve, calibrationError } from '../evaluation/report.mjs';

const samples = (...pairs) => pairs.map(([label, probability]) => ({ label, probability }));

describe('area under the curve', () => {
  test.each([
    { name: 'all people above all machines', scored: samples([1, 0.9], [1, 0.8], [0, 0.2], [0, 0.1]), area: 1 },
    { name: 'all people below', scored: samples([1, 0.1], [0, 0.9]), area: 0 },
    { name: 'ties count half', scored: samples([1, 0.5], [0, 0.5]), area: 0.5 },
    {
      name: 'one of four pairs in the wrong order',
      scored: samples([1, 0.9], [1, 0.3], [0, 0.4], [0, 0.1]),
      area: 0.75,
    },
  ])('$name', ({ scored, area }) => {
    expect(areaUnderCurve(scored)).toBeCloseTo(area, 10);
  });
});

describe('calibration error', () => {
  test('is 0 where scores equal the shares', () => {
    expect(calibrationError(samples([1, 1], [0, 0]), 0.5)).toBe(0);
    expect(calibrationError(samples([1, 0.5], [0, 0.5]), 0.5)).toBeCloseTo(0, 10);
  });

  test('weights people and machines by the share', () => {
    // Both score 0.5, but nine of ten are people.
    expect(calibrationError(samples([1, 0.5], [0, 0.5]), 0.1)).toBeCloseTo(0.4, 10);
  });
});
