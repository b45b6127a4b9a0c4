import { amount } from '../../../model/amount.js';
import type { ProviderExplanation } from '../../../service/diagnosis/reply-explanation.js';
import { sanitize } from '../../terminal/sanitize.js';
import { paint, type Style } from '../style/paint.js';
import { hang } from '../style/text-layout.js';

const headings: Record<ProviderExplanation['facts'][number]['about'], string> = {
  limits: 'Limits',
  second_rcpt: 'A second mailbox in a session',
  accepts_all: 'Accepts every mailbox',
  words: 'Its words',
  believe: 'What to believe',
};

/** A provider for people: how it is treated, and what is known of its answers, each with its source. */
export function renderProvider(provider: ProviderExplanation, { color, columns }: Omit<Style, 'unicode'>): string {
  const chalk = paint(color);
  const { name, facts, acceptsAll, maxSessions, maxRcptPerSession, minIntervalMs } = provider;
  const pause = minIntervalMs === 0 ? '' : `, ${minIntervalMs} ms between their starts`;
  const treated = `At most ${amount(maxSessions, 'session')} at a time${pause}, ${amount(maxRcptPerSession, 'mailbox', 'mailboxes')} in each.`;
  const belief = acceptsAll ? 'It accepts every mailbox, so an accepted one counts as catch_all.' : '';
  const lines = [`${chalk.bold(name)}  ${chalk.dim('provider')}\n`, hang('  ', 2, treated, columns)];
  if (belief !== '') lines.push(hang('  ', 2, belief, columns));
  if (facts.length === 0) lines.push(hang('  ', 2, 'Nothing more is known of its answers.', columns));
  for (const { about, says, source, date, believe } of facts) {
    lines.push(`\n  ${chalk.bold(headings[about])}\n`, hang('    ', 4, sanitize(says), columns));
    if (believe !== undefined) lines.push(hang('    ', 4, beliefIn(believe), columns));
    lines.push(hang('    ', 4, `${source}, read on ${date}`, columns));
  }
  return lines.join('');
}

function beliefIn({ verdict, share }: { verdict: string; share: number }): string {
  return `So its ${verdict} is taken to be right ${Math.round(share * 100)} times in 100.`;
}

/** The same for programs. */
export function providerToJson(provider: ProviderExplanation): Record<string, unknown> {
  return {
    provider: provider.name,
    accepts_all: provider.acceptsAll,
    max_sessions: provider.maxSessions,
    max_recipients_per_session: provider.maxRcptPerSession,
    min_interval_ms: provider.minIntervalMs,
    domains: provider.domains,
    facts: provider.facts,
  };
}
