/** What happened to mail: a missing mailbox, a temporary failure, a refusal of the sender, a complaint, an unreadable report, or acceptance after DATA. */
export const bounceKinds = ['hard', 'soft', 'policy', 'complaint', 'unreadable', 'delivered'] as const;
export type BounceKind = (typeof bounceKinds)[number];

/** What is known of one recipient, in the order shown. */
export const bounceFields = [
  // Empty if the report cannot be read.
  'address',
  // ISO 8601; empty if unknown.
  'date',
  'kind',
  // The status and sub-status of a verdict; empty for a complaint.
  'status',
  'sub_status',
  // The reply of the mail server, or the reason that the report states.
  'reply',
  'reporting_mta',
  // The Message-ID of the message that was sent; empty if the report does not contain it.
  'message_id',
  // The file, and where the report starts in it: `inbox.mbox:18432`.
  'source',
] as const;

/** One recipient that a delivery report, a complaint, an event or a line of a mail log names. */
export type Bounce = Record<(typeof bounceFields)[number], string> & { kind: BounceKind };
