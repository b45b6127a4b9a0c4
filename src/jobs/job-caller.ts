import { type Caller, localCaller } from '../async/caller.js';
import { localOwner } from './store/job-record.js';

/** The caller of work for an owner's job or upload; a command has the machine to itself. */
export function callerOfJob(owner: string, taskId = ''): Caller {
  return owner === localOwner ? localCaller : { priority: 'job', owner, taskId };
}
