/** Absent is an answer; failed is none. */
export type DnsAnswer<Record> =
  | { state: 'found'; records: Record[] }
  | { state: 'absent'; why: 'nxdomain' | 'nodata' }
  | { state: 'failed'; why: 'timeout' | 'servfail' | 'refused' | 'malformed' };

export interface MxRecord {
  preference: number;
  /** Lower case, no trailing dot; empty for a null MX (RFC 7505). */
  exchange: string;
}

/** Questions to the resolver: cached, coalesced, paced, each with its deadline. Never throws but when aborted. */
export interface Dns {
  mx(domain: string, signal?: AbortSignal): Promise<DnsAnswer<MxRecord>>;
  /** A and AAAA together: found if either is, absent only if both are. */
  addresses(host: string, signal?: AbortSignal): Promise<DnsAnswer<string>>;
  /** Each record's strings joined. */
  txt(name: string, signal?: AbortSignal): Promise<DnsAnswer<string>>;
  ns(name: string, signal?: AbortSignal): Promise<DnsAnswer<string>>;
  /** Names of an IP address. */
  reverse(ip: string, signal?: AbortSignal): Promise<DnsAnswer<string>>;
  close(): void;
}
