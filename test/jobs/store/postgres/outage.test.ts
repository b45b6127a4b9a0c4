import { expect, test } from 'vitest';
import { Outage } from '../../../../src/jobs/store/postgres/database-failure.js';

const gone = Object.assign(new Error('terminating connection'), { code: '57P01' });

test('an outage is reported once, and its end once, by statements that began after it', () => {
  const said: string[] = [];
  const outage = new Outage('db:5432/vet', (text) => said.push(text));
  const before = performance.now();
  outage.ended(before);
  for (let each = 0; each < 3; each++) outage.began(gone, performance.now());
  outage.ended(before);
  outage.began(gone, performance.now());
  expect(said).toHaveLength(1);
  outage.ended(performance.now() + 1);
  outage.ended(performance.now() + 1);
  expect(said).toEqual([
    expect.stringMatching(/^The database db:5432\/vet cannot be reached .*keeps trying/),
    expect.stringMatching(/^The database db:5432\/vet answers again, after 1 s/),
  ]);
  outage.began(gone, before);
  expect(said).toHaveLength(2);
  outage.began(gone, performance.now());
  expect(said).toHaveLength(3);
});
