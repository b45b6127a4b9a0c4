import type { Answer } from 'dns-packet';

/** Records of `a.example` by default. */
export const mx = (exchange: string, preference = 10, name = 'a.example'): Answer => ({
  type: 'MX',
  name,
  ttl: 300,
  data: { preference, exchange },
});
export const a = (data: string, name = 'a.example'): Answer => ({ type: 'A', name, ttl: 300, data });
export const aaaa = (data: string, name = 'a.example'): Answer => ({ type: 'AAAA', name, ttl: 300, data });
export const cname = (name: string, data: string): Answer => ({ type: 'CNAME', name, ttl: 300, data });
export const ns = (data: string, name = 'a.example'): Answer => ({ type: 'NS', name, ttl: 300, data });
export const soa = (ttl = 60): Answer => ({
  type: 'SOA',
  name: 'example',
  ttl,
  data: { mname: 'ns.example', rname: 'root.example', serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 1_000 },
});
