import { expect, test } from 'vitest';
import { migrations } from '../../../../src/jobs/store/postgres/schema.js';

test('migrations only expand the store, so that processes of the previous version continue', () => {
  const statements = migrations.slice(1).flatMap((steps) => steps.filter((step) => typeof step === 'string'));
  expect(statements.length).toBeGreaterThan(5);
  for (const statement of statements) {
    expect(statement).not.toMatch(/\b(DROP|RENAME|TRUNCATE|ALTER COLUMN|SET NOT NULL)\b/i);
    for (const [column] of statement.matchAll(/ADD COLUMN [^,]*/gi)) {
      // An older process inserts without the column.
      if (/NOT NULL/i.test(column)) expect(column).toMatch(/DEFAULT/i);
    }
  }
});
