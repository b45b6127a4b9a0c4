import type { SmtpReply } from '../../model/evidence.js';
import type { SmtpFault } from '../smtp/fault.js';
import type { SmtpSession } from '../smtp/session.js';
import type { ProbeTask } from './probe-task.js';
import type { WorkerHost } from './worker-host.js';

/** A session as it was when replies stayed out. */
interface LostSession {
  readonly session: SmtpSession;
  readonly lane: WorkerHost;
  /** Refusals that it had given. */
  readonly refused: number;
  /** Mailboxes that it had been asked for. */
  readonly asked: number;
}

const maxDisconnectsInARow = 3;
const maxDisconnectsPerTask = 2;

/**
 * Finds a way for mailboxes whose replies stayed out, and notes what that teaches about the host. Gives those that the same session
 * is asked for once more, with another sender; where there are none, the session is over.
 */
export function requeueAfterDisconnect(tasks: ProbeTask[], fault: SmtpFault, lost: LostSession): ProbeTask[] {
  const { lane, refused, session } = lost;
  if (fault.stage === 'mail' && fault.reply !== null) return handleMailRefusal(tasks, fault, fault.reply, lost);
  if (fault.kind === 'closed' && session.mixesDomains) {
    lane.limits.separate('other_domain');
    requeueAll(lane, tasks);
  } else if (fault.kind === 'closed' && refused > 0) {
    // Some hosts hang up after a refusal, and the next question crosses with that: nobody's fault.
    lane.limits.learnRefusals(refused);
    requeueAll(lane, tasks);
  } else if (fault.kind === 'closed' && tasks.length > 1) {
    // Replies to the first may have been lost with the connection, so it is not known which one broke it.
    lane.pace.askOneByOne();
    requeueAll(lane, tasks);
  } else {
    blameFirst(tasks, fault, lane);
  }
  return [];
}

/** They are asked for in another session, in their order. */
export function requeueAll(lane: WorkerHost, tasks: readonly ProbeTask[]): void {
  for (const task of tasks.toReversed()) lane.requeue(task);
}

/** The first of them is what the session broke on. */
function blameFirst([suspect, ...others]: ProbeTask[], fault: SmtpFault, lane: WorkerHost): void {
  if (suspect === undefined) return;
  const lost = suspect.recordDisconnect();
  if (fault.kind !== 'closed' || lost >= maxDisconnectsPerTask) lane.tryNextHost(suspect, fault);
  else lane.requeue(suspect);
  requeueAll(lane, others);
  if (lane.pace.countLoss() >= maxDisconnectsInARow) lane.markDown(fault);
}

function handleMailRefusal(tasks: ProbeTask[], fault: SmtpFault, reply: SmtpReply, lost: LostSession): ProbeTask[] {
  const { session, asked, lane } = lost;
  if (asked > 0) {
    // A sender that was good enough before is not what the host minds now.
    lane.limits.learnRecipients(asked);
    requeueAll(lane, tasks);
    return [];
  }
  const [first] = tasks;
  const mindsSender = first?.question.read(reply, session).reason === 'sender_rejected';
  const again = mindsSender ? tasks.filter((task) => lane.senders.rejectAndRetry(task)) : [];
  for (const task of tasks) if (!again.includes(task)) lane.tryNextHost(task, fault);
  if (again.length === 0) lane.markDown(fault);
  return again;
}
