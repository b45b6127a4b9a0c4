/** `absent` is an answer, `failed` is not. */
export type DnsAnswer<Record> =
  | { state: 'found'; records: Record[] }
  | { state: 'absent'; why: 'nxdomain' | 'nodata' }
  | { state: 'failed'; why: 'timeout' | 'servfail' | 'refused' | 'malformed' };

export interface MxRecord {
  preference: number;
  /** Lower case, no trailing dot; empty for a null MX (RFC 7505). */
  exchange: string;
}
