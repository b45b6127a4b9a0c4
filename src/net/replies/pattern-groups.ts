/** What a phrase in a refusal says, in the order in which groups are looked for. */
export const patternGroups = [
  'block_list',
  'reverse_dns',
  'greylist',
  'temporary',
  'relay',
  'sender',
  'session_limit',
  'mailbox_busy',
  'rate',
  'quota',
  'unknown_client',
  'disabled',
  'no_such_user',
  'policy',
  'unavailable',
  'unexplained',
  'refusal',
] as const;

export type PatternGroup = (typeof patternGroups)[number];

/** One row: a phrase (see `phrase`), and a reply of a real kind of host that only this meaning explains. */
export type PatternRow = readonly [phrase: string, example: string];
