/** Work that can be called off: whoever does the current step of it says how. */
export interface DnsTask {
  canceled: boolean;
  step: DnsStep | null;
}

export interface DnsStep {
  /** Ends the step; nothing is left of it when this returns. */
  cancel(): void;
}

/** Calls the task off, wherever it is. */
export function cancel(task: DnsTask): void {
  task.canceled = true;
  task.step?.cancel();
}
