import { expect, test } from 'vitest';
import type { Runtime } from '../../../../src/cli/context.js';
import { Failure } from '../../../../src/model/failure.js';
import { runCli } from '../../run-cli.js';

const store = 'postgres://ann:s3cret-word@db.example.com/vet';

test('runs jobs of the given store until it is stopped, and reports errors', async () => {
  const worked: (string | null)[] = [];
  const { status, out, err } = await runCli(['worker', '--name', 'w1'], {
    environment: { MAILVET_STORE: store },
    work: async (settings, { name, onReady, onError }) => {
      worked.push(settings.store);
      onReady(String(name));
      onError(new Failure('storage', 'The database s3cret-word went away.', { hint: 'Wait.' }));
    },
  });
  expect([status, out, worked]).toEqual([0, '', [store]]);
  expect(err).toContain('Worker w1 waits for jobs');
  expect(err).toContain('warning: The database');
  expect(err).not.toContain('s3cret-word');
});

test('ends with 0 when it is stopped while it waits for the database', async () => {
  const environment = { MAILVET_STORE: store };
  const work = () => Promise.reject(new Failure('storage', 'The database cannot be reached.'));
  expect(await runCli(['worker'], { environment, work, signal: AbortSignal.abort() })).toMatchObject({ status: 0 });
  expect(await runCli(['worker'], { environment, work })).toMatchObject({ status: 6 });
});

test('--check asks whether the worker of that name is alive', async () => {
  const environment = { MAILVET_STORE: store };
  const asked: unknown[] = [];
  const work: Runtime['runWorker'] = async (_, { name, check }) => void asked.push([name, check]);
  const run = await runCli(['worker', '--check', '--name', 'w1'], { environment, work });
  expect([run.status, run.out, asked]).toEqual([0, 'The worker is running.\n', [['w1', true]]]);
  const dead = () => Promise.reject(new Failure('unavailable', 'No worker named w1 is running.'));
  expect(await runCli(['worker', '--check'], { environment, work: dead })).toMatchObject({ status: 4 });
});

test('refuses to run without a shared store', async () => {
  expect(await runCli(['worker'])).toMatchObject({
    status: 2,
    err: expect.stringContaining('--store or MAILVET_STORE'),
  });
});

test.each(['', 'two words', 'w'.repeat(65), '"w1"'])('refuses the name %j', async (name) => {
  expect(await runCli(['worker', '--name', name])).toMatchObject({ status: 2, err: expect.stringContaining('--name') });
});
