import { sleep, systemClock } from '../../async/clock.js';
import { onAbort } from '../../async/on-abort.js';
import type { SliceRef } from '../store/job-record.js';
import type { Member } from './member.js';
import type { Consumer } from './queue.js';

interface WorkOptions {
  member: Member;
  /** Runs one slice; false if it is not for this worker. */
  run(slice: SliceRef): Promise<unknown>;
  signal: AbortSignal;
  onError(error: unknown): void;
}

/** Slices at a time: the last rows of one wait for slow mail servers. */
const maxSlices = 16;
const checkMs = 500;
/** After a failure, such as a full disk, the next slice would fail, too. */
const backoffMs = 2_000;

/** Runs slices from the queue until the signal aborts, while no other process is to do it. */
export async function workSlices({ member, run, signal, onError }: WorkOptions): Promise<void> {
  const { queue } = member;
  if (queue === null) return;
  const running = new Set<Promise<unknown>>();
  let consumer: Consumer | null = null;
  const runOne = async (slice: SliceRef): Promise<void> => {
    if (signal.aborted) return;
    const work = run(slice).catch(async (error: unknown) => {
      onError(error);
      await sleep(systemClock, backoffMs * (0.5 + Math.random()), signal).catch(() => {});
    });
    running.add(work);
    await work;
    running.delete(work);
  };
  const update = (): void => {
    const mayWork = !signal.aborted && member.mayWork();
    if (mayWork === (consumer !== null)) return;
    if (mayWork) consumer = queue.work(member.name, maxSlices, runOne);
    else {
      void consumer?.stop();
      consumer = null;
    }
  };
  update();
  const timer = setInterval(update, checkMs);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else onAbort(signal, resolve);
  });
  clearInterval(timer);
  const stopping = (consumer as Consumer | null)?.stop();
  await Promise.all(running);
  await stopping;
}
