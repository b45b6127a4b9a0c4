/** What happened to mail: a missing mailbox, a temporary failure, a refusal of the sender, a complaint, an unreadable report, or acceptance after DATA. */
export const bounceKinds = ['hard', 'soft', 'policy', 'complaint', 'unreadable', 'delivered'] as const;
export type BounceKind = (typeof bounceKinds)[number];

/** One recipient that a delivery report, a complaint, an event or a line of a mail log names. */
export interface Bounce {
  /** Empty if the report cannot be read. */
  address: string;
  /** ISO 8601; empty if unknown. */
  date: string;
  kind: BounceKind;
  /** The status and sub-status of a verdict; empty for a complaint. */
  status: string;
  sub_status: string;
  /** The reply of the mail server, or the reason that the report states. */
  reply: string;
  reporting_mta: string;
  /** The Message-ID of the message that was sent; empty if the report does not contain it. */
  message_id: string;
  /** The file, and where the report starts in it: `inbox.mbox:18432`. */
  source: string;
}

export const bounceFields = [
  'address',
  'date',
  'kind',
  'status',
  'sub_status',
  'reply',
  'reporting_mta',
  'message_id',
  'source',
] as const satisfies readonly (keyof Bounce)[];
