import { describe, expect, test } from 'vitest';
import { destinationOf, isSharedShard, shardOf } from '../../../src/jobs/dispatch/shard-of.js';

const address = {
  ...{ localPart: 'ann', domain: 'example.org', displayDomain: 'example.org', literal: null, tag: null },
  ...{ canonical: 'ann@example.org', needsSmtpUtf8: false },
};
const routeTo = (...names: string[]) => ({
  hosts: names.map((name, preference) => ({ name, preference, addresses: ['192.0.2.1'] })),
  implicit: false,
});
const isLarge = (provider: string): boolean => provider === 'Google';

describe('a probe request', () => {
  test.each([
    {
      name: 'goes to the shard of its first mail host, by the address of the host',
      hosts: ['mx1.example.net', 'mx2.example.net'],
      provider: 'example.net',
    },
    { name: 'goes to the same shard, however the host is spelled', hosts: ['MX1.Example.Net'], provider: null },
  ])('$name', ({ hosts, provider }) => {
    const found = destinationOf({ address, route: routeTo(...hosts), provider }, isLarge);
    expect(found).toEqual({ rateLimitGroup: 'mx1.example.net', shard: shardOf('192.0.2.1') });
    expect(isSharedShard(found.shard)).toBe(false);
  });

  test('goes to the same shard for one address, with any name and any order of the DNS records', () => {
    const shardTo = (name: string, ...addresses: string[]): string => {
      const dead = { name: 'mx0.example.net', preference: 0, addresses: [] };
      const route = { hosts: [dead, { name, preference: 1, addresses }], implicit: false };
      return destinationOf({ address, route, provider: null }, isLarge).shard;
    };
    expect(shardTo('mail.one.org', '192.0.2.1', '192.0.2.9')).toBe(shardTo('mail.two.org', '192.0.2.9', '192.0.2.1'));
    expect(shardTo('mail.one.org', '192.0.2.2')).not.toBe(shardTo('mail.one.org', '192.0.2.1'));
  });

  test('goes to a shared shard if a large provider runs the mail', () => {
    const found = destinationOf({ address, route: routeTo('aspmx.l.google.com'), provider: 'Google' }, isLarge);
    expect(found).toEqual({ rateLimitGroup: 'Google', shard: '@Google' });
    expect(isSharedShard(found.shard)).toBe(true);
  });

  test('uses all shards, and the assignment never changes', () => {
    const shards = Array.from({ length: 20_000 }, (_, n) => shardOf(`mx${n}.example.net`));
    expect(new Set(shards).size).toBe(1_024);
    expect(shards.every((shard) => Number(shard) >= 0 && Number(shard) < 1_024)).toBe(true);
    expect(shardOf('mx.example.org')).toBe('867');
  });
});
