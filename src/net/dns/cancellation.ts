/** Work that can be canceled: its current step knows how. */
export interface DnsTask {
  canceled: boolean;
  step: DnsStep | null;
}

export interface DnsStep {
  /** Ends the step synchronously. */
  cancel(): void;
}

/** Cancels the task, whatever its step. */
export function cancel(task: DnsTask): void {
  task.canceled = true;
  task.step?.cancel();
}
