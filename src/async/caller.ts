/** From most to least urgent: a single request, a bulk request, a job. */
export const priorities = ['single', 'bulk', 'job'] as const;

export type Priority = (typeof priorities)[number];

/** Who asks for work, so that turns can be shared fairly. */
export interface Caller {
  priority: Priority;
  /** Owners get equal shares, however much each of them asks for. */
  owner: string;
  /** One task of the owner; tasks share equally what the owner gets. */
  work: string;
}

/** Whether `a` goes before `b` where both wait. */
export function hasHigherPriority(a: Caller, b: Caller): boolean {
  return priorities.indexOf(a.priority) < priorities.indexOf(b.priority);
}

/** The caller of work that has the machine to itself, such as a command. */
export const localCaller: Caller = { priority: 'single', owner: '', work: '' };

const callers = new WeakMap<AbortSignal, Caller>();

/** Names the caller whose work the signal stops. The signal already reaches every socket that is opened for the caller. */
export function setCaller(signal: AbortSignal, caller: Caller): void {
  callers.set(signal, caller);
}

/** The caller whose work the signal stops, or the local one. */
export function callerOfSignal(signal: AbortSignal | undefined): Caller {
  return (signal && callers.get(signal)) ?? localCaller;
}
