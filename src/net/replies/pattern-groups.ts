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
