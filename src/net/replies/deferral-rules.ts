import { countsTraffic, invitesRetry, namesFault, reportsServerFault } from './deferral-words.js';
import { groupsWithoutCause, type PatternGroup, unclearGroups } from './pattern-groups.js';
import { byEnhanced, byText, byWords, explicitCertainty, reading } from './reading.js';
import { hasSenderCode, isAboutClient, isFiltered, type ReplyFacts, type ReplyRule } from './reply-rule.js';

/** RFC 3463 §3.4: with 4.3 these groups are about the host's own state. */
const hostStateGroups: readonly PatternGroup[] = ['come_back', 'overfull', 'quota'];

/** Groups whose words alone do not decide a 4xx. */
const undecidedGroups: readonly PatternGroup[] = [
  'filter',
  'unknown_client',
  'disabled',
  'no_such_user',
  ...unclearGroups,
];

/** Rules for a 4xx to RCPT, which never proves that a mailbox is missing. */
export const deferralRules: readonly ReplyRule[] = [
  {
    name: 'the mailbox gets too much mail',
    when: ({ group }) => group === 'mailbox_busy',
    reading: ({ match }) => byText(match),
  },
  {
    name: '4.2.2',
    when: (facts) => facts.detail === '2.2' && !isAboutClient(facts),
    reading: ({ reply }) => byEnhanced(reply, 'mailbox_quota_exceeded', explicitCertainty),
  },
  {
    name: '4.5.3',
    when: ({ detail }) => detail === '5.3',
    reading: ({ reply }) => byEnhanced(reply, 'session_limit', 0.95),
  },
  {
    name: '4.7.25',
    when: ({ detail }) => detail === '7.25',
    reading: ({ reply }) => byEnhanced(reply, 'needs_reverse_dns', 0.95),
  },
  {
    name: '4.7.28',
    when: ({ detail }) => detail === '7.28',
    reading: ({ reply }) => byEnhanced(reply, 'rate_limited', 0.95),
  },
  {
    name: 'code of the sender',
    when: hasSenderCode,
    reading: ({ reply }) => byEnhanced(reply, 'sender_rejected', 0.95),
  },
  {
    name: 'words that decide',
    when: ({ reply, detail, group }) =>
      group !== null &&
      !(group === 'come_back' && countsTraffic(reply.text)) &&
      !(detail.startsWith('3.') && hostStateGroups.includes(group)) &&
      !undecidedGroups.includes(group),
    reading: ({ match }) => byText(match),
  },
  {
    name: 'words of a missing or disabled mailbox',
    when: ({ group }) => group === 'disabled' || group === 'no_such_user',
    reading: ({ match }) => byWords(match, 'mail_server_temporary_error', 0.6),
  },
  {
    name: 'filter or unknown client',
    when: (facts) => {
      const { text } = facts.reply;
      const isJudged =
        isFiltered(facts) &&
        !reportsServerFault(text) &&
        !reportsTemporaryError(text) &&
        !facts.detail.startsWith('3.');
      return (isJudged || facts.group === 'unknown_client') && !invitesRetry(facts.reply) && !isUnserved(facts);
    },
    reading: ({ match }) => byText(match),
  },
  {
    name: 'counts of what we send',
    when: ({ reply, group }) =>
      (group === null || [...unclearGroups, 'come_back', 'unknown_client'].includes(group)) &&
      countsTraffic(reply.text),
    reading: ({ reply }) => reading('rate_limited', `basic:${reply.code}`, 0.7),
  },
  {
    name: 'trouble of the host on first contact',
    when: (facts) => mayGreylist(facts) && namesFault(facts.bare, facts.match),
    reading: ({ reply }) => reading('mail_server_temporary_error', `basic:${reply.code}`, 0.6),
  },
  {
    name: 'greylisting on first contact',
    when: mayGreylist,
    reading: ({ reply }) => reading('greylisted', `basic:${reply.code}`, 0.6),
  },
  {
    name: '421 4.7.1 with "later"',
    when: ({ reply, detail }) => reply.code === 421 && detail === '7.1' && /\blater\b/i.test(reply.text),
    reading: () => reading('greylisted', 'basic:421', 0.6),
  },
  {
    name: 'words without a cause',
    when: ({ group }) => group !== null && groupsWithoutCause.includes(group),
    reading: ({ match }) => byWords(match, 'mail_server_temporary_error', 0.6),
  },
  {
    name: '4.7.x',
    when: ({ detail }) => detail.startsWith('7.'),
    reading: ({ reply }) => byEnhanced(reply, 'antispam_system', 0.6),
  },
  {
    name: 'any other 4xx',
    when: () => true,
    reading: ({ reply, detail }) =>
      detail === ''
        ? reading('mail_server_temporary_error', `basic:${reply.code}`, 0.8)
        : byEnhanced(reply, 'mail_server_temporary_error', 0.8),
  },
];

function mayGreylist({ reply, detail, context }: ReplyFacts): boolean {
  const isUndefined = detail === '' || detail === '0.0' || detail.startsWith('7.');
  return (reply.code === 450 || reply.code === 451) && context.firstContact !== false && isUndefined;
}

/** `policy analysis reports temporary DNS error`. */
function reportsTemporaryError(text: string): boolean {
  return /\btemporary (?:\w+ )?(?:error|failure|problem)\b/i.test(text);
}

/** Postfix says `Client host rejected: Service unavailable` for anything that it defers. */
function isUnserved({ reply }: ReplyFacts): boolean {
  return /\bservice unavailable\b/i.test(reply.text);
}
