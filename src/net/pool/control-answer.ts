import type { Target } from '../smtp/dial.js';
import type { ProbeOutcome, ProbeQuestion } from './probe-task.js';

/** What the answer for a mailbox that cannot exist means. `unclear`: the words of the refusal may mean something else. */
type ControlOutcome = 'accepted' | 'refused' | 'unclear' | 'inconclusive';

/** What the answer for a control mailbox says about the domain. */
export function controlOutcome(probeOutcome: ProbeOutcome): ControlOutcome {
  if (probeOutcome.state !== 'answered') return 'inconclusive';
  const { reading, reply } = probeOutcome;
  switch (reading.reason) {
    case 'accepted':
    case 'cannot_verify':
      return 'accepted';
    case 'mailbox_not_found':
    case 'mailbox_disabled':
    case 'does_not_accept_mail':
      return 'refused';
    case 'antispam_system':
    case 'restricted_recipient':
    case 'needs_reverse_dns':
    case 'sender_rejected':
      return reply.code >= 500 ? 'unclear' : 'inconclusive';
    default:
      return reading.saysAbsent === true ? 'unclear' : 'inconclusive';
  }
}

/** Accepted, or refused in clear words. */
export function isSettledControl(probeOutcome: ProbeOutcome): boolean {
  const outcome = controlOutcome(probeOutcome);
  return outcome === 'accepted' || outcome === 'refused';
}

/** The question for another mailbox of the domain at one host address. */
export function controlQuestion(question: ProbeQuestion, target: Target, localPart: string): ProbeQuestion {
  const { domain } = question.recipient;
  const recipient = { address: `${localPart}@${domain}`, domain, smtputf8: false };
  return { ...question, recipient, targets: [target], controls: [] };
}
