import { expect, test } from 'vitest';
import { refundAbandoned } from '../../../src/jobs/store/credits.js';
import { all, type SqlBackend, type Statement, type Steps } from '../../../src/jobs/store/sql.js';

test('a refund locks all keys before it changes one, in id order', async () => {
  const statements: Statement[] = [];
  const write = async <T>(work: () => Steps<T>): Promise<T> => {
    const steps = work();
    for (let step = steps.next(); ; ) {
      if (step.done === true) return step.value;
      statements.push(step.value);
      step = steps.next({ rows: [{ key_id: 'b', amount: 5 }], changes: 1 });
    }
  };
  function* abandonedReservations(): Steps<string[]> {
    yield* all<{ id: string }>('SELECT id FROM reservations');
    return ['r1', 'r2'];
  }
  expect(await refundAbandoned({ write, abandonedReservations } as unknown as SqlBackend)).toBe(2);
  expect(statements[1]).toMatchObject({ kind: 'lockRows', text: expect.stringContaining('ORDER BY id') });
});
