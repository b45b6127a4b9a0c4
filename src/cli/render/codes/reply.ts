import { amount } from '../../../model/amount.js';
import { explainSubStatus } from '../../../model/text/sentences.js';
import type { ReadingStep, ReplyExplanation } from '../../../service/diagnosis/reply-explanation.js';
import { sanitize } from '../../terminal/sanitize.js';
import { paint, type Style, statusPaint } from '../style/paint.js';
import { hang } from '../style/text-layout.js';

/** A reply for people: the verdict it leads to, how it was read step by step, and why not otherwise. */
export function renderReply(explained: ReplyExplanation, { color, columns }: Omit<Style, 'unicode'>): string {
  const chalk = paint(color);
  const { reply, status, subStatus, certainty, rule, decidedBy, phrase, retryAfterSeconds, steps, why } = explained;
  const verdict = status === null ? chalk.bold('goes on') : statusPaint(chalk, status).bold(status);
  const word = subStatus === null || subStatus === '' ? '' : ` (${subStatus})`;
  const { means, advice } = sentenceOf(explained);
  const line = (text: string, indent = 2) => hang(' '.repeat(indent), indent, sanitize(text), columns);
  return [
    line(`${reply.code} ${reply.text}`, 0),
    `  ${verdict}${word}\n`,
    line(`${means}${advice === '' ? '' : ` ${advice}`}`),
    retryAfterSeconds === null ? '' : line(`Try again after ${amount(retryAfterSeconds, 'second')}.`),
    `\n  ${chalk.bold('How it was read')}\n`,
    ...steps.map((step) => hang(`  ${step.decided ? chalk.green('►') : ' '} `, 4, stepText(step, explained), columns)),
    `\n  ${chalk.bold('Rule')}\n`,
    line(`${decidedBy} (${rule}), certainty ${certainty}${phrase === null ? '' : `, by the words "${phrase}"`}`, 4),
    why.length === 0 ? '' : `\n  ${chalk.bold('Why not otherwise')}\n`,
    ...why.map((each) => line(each, 4)),
  ].join('');
}

/** The same for programs, in the spelling of results. */
export function replyToJson(explained: ReplyExplanation): Record<string, unknown> {
  const { reply, reason, status, subStatus, rule, decidedBy, phrase, certainty, retryAfterSeconds, vague, steps, why } =
    explained;
  const { means, advice } = sentenceOf(explained);
  return {
    stage: reply.stage,
    code: reply.code,
    class: `${Math.floor(reply.code / 100)}xx`,
    enhanced: reply.enhanced,
    text: reply.text,
    reason,
    status,
    sub_status: subStatus,
    rule,
    decided_by: decidedBy,
    phrase,
    certainty,
    retry_after_seconds: retryAfterSeconds,
    vague,
    means,
    advice,
    steps,
    why,
  };
}

function sentenceOf({ subStatus, reply }: ReplyExplanation): { means: string; advice: string } {
  if (subStatus === null) return { means: `The mail server accepts ${stageWords[reply.stage]}.`, advice: '' };
  if (subStatus === '') return { means: 'The mail server accepts this mailbox.', advice: '' };
  return explainSubStatus(subStatus);
}

const stageWords: Record<string, string> = {
  connect: 'the connection',
  banner: 'the connection',
  ehlo: 'our greeting',
  starttls: 'TLS',
  mail: 'our sender',
  rcpt: 'the recipient',
};

const classes: Record<string, string> = {
  '2xx': 'accepted',
  '3xx': 'wants more input',
  '4xx': 'refused for now, which never makes an address invalid',
  '5xx': 'refused for good',
};

function stepText(
  { step, value, decided, alone }: ReadingStep,
  { reason, decidedBy, steps }: ReplyExplanation,
): string {
  const before = steps.findIndex((each) => each.decided) > steps.findIndex((each) => each.step === step);
  const rest = decided
    ? alone === null || alone === reason
      ? `means ${reason}`
      : `alone would mean ${alone}; not believed: ${decidedBy}`
    : alone === null
      ? before
        ? 'left it open'
        : 'adds nothing'
      : before
        ? `alone would mean ${alone}; overruled`
        : `alone would mean ${alone}; not needed`;
  switch (step) {
    case 'stage':
      return `stage ${value}: ${value === 'rcpt' ? 'may speak of a mailbox' : 'is about us, not about a mailbox'}`;
    case 'class':
      return `class ${value}: ${classes[value ?? ''] ?? ''}${decided ? `, ${rest}` : ''}`;
    case 'enhanced':
      return value === null ? 'enhanced code: none sent' : `enhanced code ${value}: ${rest}`;
    case 'text':
      return value === null ? `words: ${decided ? rest : 'none that are known'}` : `words "${value}": ${rest}`;
    case 'basic':
      return `basic code ${value}: ${rest}`;
  }
}
