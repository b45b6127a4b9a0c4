/** From most to least urgent: a single request, a bulk request, a job. */
export const priorities = ['single', 'bulk', 'job'] as const;

export type Priority = (typeof priorities)[number];

/** The origin of some work, so that turns can be shared fairly. */
export interface Caller {
  priority: Priority;
  /** Owners get equal shares, however much each of them asks for. */
  owner: string;
  /** One task of the owner; tasks share equally what the owner gets. */
  taskId: string;
  /** Stops the work. */
  signal?: AbortSignal | undefined;
}

/** Whether `a` goes before `b` if both wait. */
export function hasHigherPriority(a: Caller, b: Caller): boolean {
  return priorities.indexOf(a.priority) < priorities.indexOf(b.priority);
}

/** The caller of work that has the machine to itself, such as a command. */
export const localCaller: Caller = { priority: 'single', owner: '', taskId: '' };

/** The local caller, stopped by the signal. */
export function localCallerWith(signal: AbortSignal | undefined): Caller {
  return signal === undefined ? localCaller : { ...localCaller, signal };
}

/** Whether both are the same task of the same owner. */
export function isSameCaller(a: Caller, b: Caller): boolean {
  return a === b || (a.owner === b.owner && a.taskId === b.taskId && a.priority === b.priority);
}
