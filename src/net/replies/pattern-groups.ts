/** Groups of phrases in refusals, in the order in which they are searched. */
export const patternGroups = [
  'block_list',
  'reverse_dns',
  'client_ip',
  'greylist',
  'temporary',
  'restricted',
  'relay',
  'sender',
  'filter',
  'session_limit',
  'mailbox_busy',
  'hedged',
  'overfull',
  'rate',
  'quota',
  'come_back',
  'unknown_client',
  'disabled',
  'no_such_user',
  'policy',
  'takes_no_mail',
  'unavailable',
  'unexplained',
  'other_cause',
  'refusal',
] as const;

export type PatternGroup = (typeof patternGroups)[number];

/** Groups that are about the client. */
export const clientGroups: readonly PatternGroup[] = [
  'block_list',
  'reverse_dns',
  'client_ip',
  'greylist',
  'restricted',
  'relay',
  'sender',
  'filter',
  'session_limit',
  'rate',
  'unknown_client',
  'come_back',
];
/** Groups that are about the mailbox. */
export const mailboxGroups: readonly PatternGroup[] = ['mailbox_busy', 'overfull', 'quota', 'disabled', 'no_such_user'];
/** A refusal without a clear cause. */
export const unclearGroups: readonly PatternGroup[] = [
  'hedged',
  'policy',
  'unavailable',
  'unexplained',
  'takes_no_mail',
  'other_cause',
  'refusal',
];

/** Groups that name the recipient or its domain, but no cause. */
export const groupsWithoutCause: readonly PatternGroup[] = ['hedged', 'unavailable', 'unexplained', 'takes_no_mail'];
