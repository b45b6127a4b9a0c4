import type { Clock } from '../../async/clock.js';
import type { ProbeTask } from './probe-task.js';

const sweepMs = 250;

/** The tasks that are not settled. One timer sweeps all of them, which costs less than ten thousand timers. */
export class TaskDeadlines extends Set<ProbeTask> {
  private cancelSweep: (() => void) | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly totalMs: number,
    private readonly onExpired: (task: ProbeTask) => void,
  ) {
    super();
  }

  /** Starts the sweep: some task has a deadline. */
  startSweep(): void {
    this.cancelSweep ??= this.clock.after(Math.min(sweepMs, this.totalMs), () => {
      this.cancelSweep = null;
      const now = this.clock.elapsed();
      for (const task of this) if (task.isExpired(now)) this.onExpired(task);
      if (this.size > 0) this.startSweep();
    });
  }

  close(): void {
    this.cancelSweep?.();
  }
}
