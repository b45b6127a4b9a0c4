/** `absent` is an answer, `failed` is not. `by`: the index of the resolver that denied it, if there are several. */
export type DnsAnswer<Record> =
  | { state: 'found'; records: Record[] }
  | { state: 'absent'; why: 'nxdomain' | 'nodata'; by?: number }
  | { state: 'failed'; why: 'timeout' | 'servfail' | 'refused' | 'malformed' };

export interface MxRecord {
  preference: number;
  /** Lower case, no trailing dot; empty for a null MX (RFC 7505). */
  exchange: string;
}
