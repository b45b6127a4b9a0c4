import type { SmtpReply } from '../../model/evidence.js';
import type { SmtpFault } from '../smtp/fault.js';
import type { SmtpSession } from '../smtp/session.js';
import type { ProbeTask } from './probe-task.js';
import type { SessionState } from './session-state.js';
import type { WorkerHost } from './worker-host.js';

/** A session that ended before all replies came. */
interface InterruptedSession {
  readonly session: SmtpSession;
  readonly host: WorkerHost;
  readonly state: SessionState;
}

const maxConsecutiveDisconnects = 3;
const maxDisconnectsPerTask = 2;
/** A host that only loses pipelined commands answers soon without. */
const plainRetryMs = 8_000;

/**
 * Requeues tasks that got no reply, and records what that says about the host. Returns those to ask again in the same session with
 * another sender; if there are none, the session is over.
 */
export function requeueAfterDisconnect(tasks: ProbeTask[], fault: SmtpFault, lost: InterruptedSession): ProbeTask[] {
  const { host, session } = lost;
  const { refusals } = lost.state;
  if (fault.stage === 'mail' && fault.reply !== null) return handleMailRefusal(tasks, fault, fault.reply, lost);
  if (fault.kind === 'out_of_step') {
    for (const task of tasks) host.tryNextHost(task, fault);
    host.markDown(fault);
  } else if (fault.kind === 'timeout' && session.pipelining && !host.limits.isPipeliningProven) {
    // Some hosts announce PIPELINING, and lose what follows the first command.
    host.limits.avoidsPipelining = true;
    for (const task of tasks) task.limitTime(plainRetryMs);
    requeueAll(host, tasks);
  } else if (fault.kind === 'closed' && session.mixesDomains) {
    host.limits.restrictSharing('other_domain');
    requeueAll(host, tasks);
  } else if (fault.kind === 'closed' && refusals > 0) {
    // Some hosts hang up after a refusal while the next command is on its way.
    host.limits.learnRefusals(refusals);
    requeueAll(host, tasks);
  } else if (fault.kind === 'closed' && tasks.length > 1) {
    // Earlier replies may be lost with the connection, so it is unknown which task broke it.
    host.limits.pace.isCautious = true;
    requeueAll(host, tasks);
  } else {
    blameFirst(tasks, fault, host);
  }
  return [];
}

/** Puts tasks back in their order, for another session. */
export function requeueAll(host: WorkerHost, tasks: readonly ProbeTask[]): void {
  for (const task of tasks.toReversed()) host.requeue(task);
}

/** Blames the first task for the disconnect. */
function blameFirst([suspect, ...others]: ProbeTask[], fault: SmtpFault, host: WorkerHost): void {
  if (suspect === undefined) return;
  suspect.disconnects++;
  if (fault.kind !== 'closed' || suspect.disconnects >= maxDisconnectsPerTask) host.tryNextHost(suspect, fault);
  else host.requeue(suspect);
  requeueAll(host, others);
  if (host.limits.pace.recordDisconnect() >= maxConsecutiveDisconnects) host.markDown(fault);
}

function handleMailRefusal(
  tasks: ProbeTask[],
  fault: SmtpFault,
  reply: SmtpReply,
  lost: InterruptedSession,
): ProbeTask[] {
  const { session, state, host } = lost;
  if (state.replies > 0) {
    // The host accepted this sender before, so it refuses something else.
    host.limits.learnRecipients(state.replies);
    requeueAll(host, tasks);
    return [];
  }
  const [first] = tasks;
  const isSenderRejected = first?.question.read(reply, session, first.recipient.address).reason === 'sender_rejected';
  const retried = isSenderRejected ? tasks.filter((task) => host.senders.rejectAndRetry(task)) : [];
  for (const task of tasks) if (!retried.includes(task)) host.tryNextHost(task, fault);
  if (retried.length === 0) host.markDown(fault);
  return retried;
}
