import { describe, expect, test, vi } from 'vitest';
import { Failure } from '../../src/model/failure.js';
import type { Job } from '../../src/model/job.js';
import { followJob } from '../../src/service/follow-job.js';
import { jumpingClock } from '../fakes/clock.js';

const away = new Failure('unavailable', 'The service is away.');

/** Polls that return one answer after the other, the last one forever. */
function polls(...answers: readonly (string | Failure)[]): () => Promise<Job> {
  let next = 0;
  return async () => {
    const answer = answers[Math.min(next++, answers.length - 1)];
    if (answer instanceof Failure) throw answer;
    return { id: 'a', status: answer ?? '' };
  };
}

describe('a job is followed', () => {
  test('until it has ended, through unknown states and failed polls', async () => {
    const seen: string[] = [];
    const job = await followJob(polls('queued', away, 'warming_up', away, 'running', 'completed'), {
      clock: jumpingClock(),
      onProgress: ({ status }) => seen.push(status),
    });
    expect(job.id).toBe('a');
    expect(seen).toEqual(['queued', 'warming_up', 'running', 'completed']);
  });

  test('until five polls in a row have failed', async () => {
    const clock = jumpingClock();
    await expect(followJob(polls('queued', away), { clock })).rejects.toBe(away);
    expect(clock.waits).toHaveLength(5);
  });

  test('with growing pauses after failed polls, which are reported', async () => {
    const clock = jumpingClock();
    const retries: string[] = [];
    const onRetry = (failure: Failure, { pauseMs, nth, of }: { pauseMs: number; nth: number; of: number }) =>
      retries.push(`${failure.message} ${pauseMs} (${nth} of ${of})`);
    await expect(followJob(polls(away), { clock, onRetry })).rejects.toBe(away);
    expect(retries).toEqual(
      [2_000, 4_000, 8_000, 16_000].map((ms, index) => `The service is away. ${ms} (${index + 1} of 4)`),
    );
    expect(clock.waits).toEqual([2_000, 4_000, 8_000, 16_000]);
  });

  test('with the pauses that the service requests', async () => {
    const clock = jumpingClock();
    const busy = new Failure('rate_limited', 'Too many requests.', { retryAfterSeconds: 30 });
    await followJob(polls(busy, 'completed'), { clock });
    expect(clock.waits).toEqual([30_000]);
  });

  test('until the job is not found', async () => {
    const missing = new Failure('not_found', 'There is no such job.');
    await expect(followJob(polls(missing), { clock: jumpingClock() })).rejects.toBe(missing);
  });

  test('until an interruption, with a message that the job continues', async () => {
    const stop = new AbortController();
    const following = followJob(polls('running'), { signal: stop.signal, onProgress: () => stop.abort() });
    await expect(following).rejects.toMatchObject({ code: 'interrupted', hint: expect.stringContaining('jobs get a') });
  });

  test('until an interruption, without that message for a job without a worker', async () => {
    const stop = new AbortController();
    const following = followJob(async () => ({ id: 'a', status: 'queued', interrupted: true }), {
      signal: stop.signal,
      onProgress: () => stop.abort(),
    });
    await expect(following).rejects.toMatchObject({
      message: 'Interrupted; the job has no worker.',
      hint: 'Continue it with: mailvet jobs resume a',
    });
  });

  test('until an interruption, with the command that gets the requested rows', async () => {
    const stop = new AbortController();
    const following = followJob(async () => ({ id: 'a', status: 'running' }), {
      signal: stop.signal,
      onProgress: () => stop.abort(),
      command: (...words) => `mailvet ${words.join(' ')} --profile work`,
      resultFlags: ['-o', 'vetted.csv'],
    });
    await expect(following).rejects.toMatchObject({
      hint: 'Wait for its rows with: mailvet jobs get a --watch --profile work && mailvet jobs results a -o vetted.csv --profile work',
    });
  });

  test('until an interruption during a poll, with the same message', async () => {
    const stop = new AbortController();
    const fetchJob = vi.fn().mockResolvedValueOnce({ id: 'a', status: 'running' });
    fetchJob.mockImplementation(async () => {
      stop.abort();
      throw new Failure('interrupted', 'Interrupted.');
    });
    const following = followJob(fetchJob, { signal: stop.signal, clock: jumpingClock() });
    await expect(following).rejects.toMatchObject({
      message: 'Interrupted; the job continues.',
      hint: expect.stringContaining('jobs get a'),
    });
  });

  test('until an interruption before an id is known, which names no job', async () => {
    const following = followJob(polls(away), { signal: AbortSignal.abort() });
    await expect(following).rejects.toMatchObject({ hint: 'See its progress with: mailvet jobs list' });
  });
});
