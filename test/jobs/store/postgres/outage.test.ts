import { expect, test } from 'vitest';
import { Outage } from '../../../../src/jobs/store/postgres/database-failure.js';

const gone = Object.assign(new Error('terminating connection'), { code: '57P01' });

test('an outage is reported once, and its end once, by statements that began after it', () => {
  const said: string[] = [];
  const outage = new Outage('db:5432/vet', (text) => said.push(text));
  const before = performance.now();
  outage.end(before);
  for (let each = 0; each < 3; each++) outage.begin(gone, performance.now());
  outage.end(before);
  outage.begin(gone, performance.now());
  expect(said).toHaveLength(1);
  outage.end(performance.now() + 1);
  outage.end(performance.now() + 1);
  expect(said).toEqual([
    expect.stringMatching(/^The database db:5432\/vet cannot be reached .*keeps trying/),
    expect.stringMatching(/^The database db:5432\/vet answers again, after 1 s/),
  ]);
  outage.begin(gone, before);
  expect(said).toHaveLength(2);
  outage.begin(gone, performance.now());
  expect(said).toHaveLength(3);
});

test('a database that comes back as a standby is reported for that reason, too, once', () => {
  const notes: string[] = [];
  const standby = Object.assign(new Error('cannot execute UPDATE'), { code: '25006' });
  const outage = new Outage('store', (text) => notes.push(text.replace(/ \(.*/, '')));
  for (const error of [gone, standby, standby]) outage.begin(error, performance.now());
  expect(outage.isReadOnly).toBe(true);
  outage.end(performance.now() + 1);
  expect(notes).toEqual([
    'The database store cannot be reached',
    'The database store is read-only.',
    expect.stringContaining('answers again'),
  ]);
});
