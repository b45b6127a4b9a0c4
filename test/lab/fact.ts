/** The expected verdict on an address. */
export interface Fact {
  email: string;
  status: string;
  sub: string;
}

/** The whole name of a domain of the lab. */
export function labDomain(name: string): string {
  return `${name}.vetlab.com`;
}

/** Rows such as `jane@exim valid` or `full@exim risky mailbox_quota_exceeded`, for domains of the lab. */
export function factsFrom(rows: string): Fact[] {
  return rows
    .trim()
    .split('\n')
    .map((row) => {
      const [, email = '', status = '', sub = ''] = /^\s*(.+@\S+) +(\S+) *(\S*)$/.exec(row) ?? [];
      return { email: labDomain(email), status, sub };
    });
}
