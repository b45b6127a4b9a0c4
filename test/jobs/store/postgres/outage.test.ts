import { expect, test } from 'vitest';
import { isTransient, Outage } from '../../../../src/jobs/store/postgres/database-failure.js';

const connectionLost = Object.assign(new Error('terminating connection'), { code: '57P01' });

test('an outage is reported once, and its end once, by statements that began after it', () => {
  const notes: string[] = [];
  const outage = new Outage('db:5432/vet', (text) => notes.push(text));
  const before = performance.now();
  outage.end(before);
  for (let each = 0; each < 3; each++) outage.begin(connectionLost, performance.now());
  outage.end(before);
  outage.begin(connectionLost, performance.now());
  expect(notes).toHaveLength(1);
  outage.end(performance.now() + 1);
  outage.end(performance.now() + 1);
  expect(notes).toEqual([
    expect.stringMatching(/^The database db:5432\/vet cannot be reached .*keeps trying/),
    expect.stringMatching(/^The database db:5432\/vet answers again, after 1 s/),
  ]);
  outage.begin(connectionLost, before);
  expect(notes).toHaveLength(2);
  outage.begin(connectionLost, performance.now());
  expect(notes).toHaveLength(3);
});

test('a database that comes back as a standby is reported for that reason, too, once', () => {
  const notes: string[] = [];
  const standby = Object.assign(new Error('cannot execute UPDATE'), { code: '25006' });
  const outage = new Outage('store', (text) => notes.push(text.replace(/ \(.*/, '')));
  for (const error of [connectionLost, standby, standby]) outage.begin(error, performance.now());
  expect(outage.isReadOnly).toBe(true);
  outage.end(performance.now() + 1);
  expect(notes).toEqual([
    'The database store cannot be reached',
    'The database store is read-only.',
    expect.stringContaining('answers again'),
  ]);
});

test.each(['Connection terminated', 'Client was closed and is not queryable', 'Query read timeout'])(
  'a connection that this process closed is lost, not a bug: %s',
  (message) => expect(isTransient(new Error(message))).toBe(true),
);
