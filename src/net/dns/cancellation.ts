/** Work that is canceled through its current step. */
export interface DnsTask {
  canceled: boolean;
  step: DnsStep | null;
}

export interface DnsStep {
  /** Ends the step synchronously. */
  cancel(): void;
}

/** Cancels the task in any step. */
export function cancel(task: DnsTask): void {
  task.canceled = true;
  task.step?.cancel();
}
