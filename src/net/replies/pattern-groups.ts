/** What a phrase in a refusal says, in the order in which groups are looked for. */
export const patternGroups = [
  'block_list',
  'reverse_dns',
  'client_ip',
  'greylist',
  'temporary',
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

/** They speak of the one who asks. */
export const clientGroups: readonly PatternGroup[] = [
  'block_list',
  'reverse_dns',
  'client_ip',
  'greylist',
  'relay',
  'sender',
  'filter',
  'session_limit',
  'rate',
  'unknown_client',
  'come_back',
];
/** They speak of the mailbox. */
export const mailboxGroups: readonly PatternGroup[] = ['mailbox_busy', 'overfull', 'quota', 'disabled', 'no_such_user'];
/** They say that we are refused, not plainly why. */
export const unclear: readonly PatternGroup[] = [
  'hedged',
  'policy',
  'unavailable',
  'unexplained',
  'takes_no_mail',
  'other_cause',
  'refusal',
];

/** They name the recipient or its domain, and no cause. */
export const withoutCause: readonly PatternGroup[] = ['hedged', 'unavailable', 'unexplained', 'takes_no_mail'];
