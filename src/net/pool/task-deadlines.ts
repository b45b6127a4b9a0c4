import type { Clock } from '../../async/clock.js';
import type { ProbeTask } from './probe-task.js';

const sweepMs = 250;

/** The tasks that are not settled. One timer sweeps all of them, which costs less than ten thousand timers. */
export class TaskDeadlines {
  private readonly tasks = new Set<ProbeTask>();
  private cancelSweep: (() => void) | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly totalMs: number,
    private readonly onExpired: (task: ProbeTask) => void,
  ) {}

  add(task: ProbeTask): void {
    this.tasks.add(task);
  }

  delete(task: ProbeTask): void {
    this.tasks.delete(task);
  }

  all(): ProbeTask[] {
    return [...this.tasks];
  }

  /** Starts the sweep: some task has a deadline. */
  startSweep(): void {
    this.cancelSweep ??= this.clock.after(Math.min(sweepMs, this.totalMs), () => {
      this.cancelSweep = null;
      const now = this.clock.elapsed();
      for (const task of this.tasks) if (task.isExpired(now)) this.onExpired(task);
      if (this.tasks.size > 0) this.startSweep();
    });
  }

  close(): void {
    this.cancelSweep?.();
  }
}
