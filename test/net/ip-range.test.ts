import { describe, expect, test } from 'vitest';
import { formatIp, parseIp } from '../../src/net/ip-address.js';
import { isGlobal, parseNetworks } from '../../src/net/ip-range.js';

describe('reachability from the public Internet', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '192.31.196.1',
    '192.167.255.255',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2001:4860:4860::8888',
    '2a00:1450:4013:c01::1a',
    '2606:4700::1111',
    '2001:200::1',
    '2001:3::1',
    '::ffff:8.8.8.8',
    '::ffff:808:808',
    '64:ff9b::8.8.8.8',
    '2002:808:808::1',
  ])('%s is global', (ip) => {
    expect(isGlobal(ip)).toBe(true);
  });

  test.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '10.255.255.255',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.7',
    '203.0.113.9',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:a00:1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::8.8.8.8',
    '100::1',
    '2001::1',
    '2001:2::1',
    '2001:10::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2002:a00:1::1',
    '3fff::1',
    '3fff:fff:ffff::1',
    '5f00::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '',
    'localhost',
    '1.2.3',
    '256.1.1.1',
  ])('%s is not global', (ip) => {
    expect(isGlobal(ip)).toBe(false);
  });
});

describe('networks', () => {
  test.each([
    {
      cidr: '10.0.0.0/8',
      inside: ['10.0.0.0', '10.255.255.255', '::ffff:10.1.2.3'],
      outside: ['11.0.0.0', '9.255.255.255'],
    },
    { cidr: '10.20.30.40/8', inside: ['10.0.0.1'], outside: ['11.0.0.1'] },
    { cidr: '127.0.0.1', inside: ['127.0.0.1'], outside: ['127.0.0.2'] },
    { cidr: '172.16.0.0/12', inside: ['172.31.255.255'], outside: ['172.32.0.0'] },
    { cidr: '0.0.0.0/0', inside: ['1.2.3.4'], outside: ['::1'] },
    { cidr: 'fd00::/8', inside: ['fd12::1'], outside: ['fc00::1', '10.0.0.1'] },
    { cidr: '2001:db8:8000::/33', inside: ['2001:db8:ffff::1'], outside: ['2001:db8:7fff::1'] },
    { cidr: '::1', inside: ['::1', '0:0:0:0:0:0:0:1'], outside: ['::2', 'nonsense', ''] },
  ])('$cidr', ({ cidr, inside, outside }) => {
    const networks = parseNetworks([cidr]);
    expect(inside.filter((ip) => !networks.contains(ip))).toEqual([]);
    expect(outside.filter((ip) => networks.contains(ip))).toEqual([]);
  });

  test('an empty list contains no address', () => {
    expect(parseNetworks([]).contains('127.0.0.1')).toBe(false);
  });

  test.each([
    '',
    '10',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    'fd00::/129',
    'localhost/8',
    '10.0.0.0/8x',
    'fe80::1%eth0/64',
  ])('"%s" is refused', (cidr) => {
    expect(() => parseNetworks([cidr])).toThrowError(expect.objectContaining({ code: 'usage' }));
  });
});

test.each([
  ['0:0:0:0:0:0:0:0', '::'],
  ['0:0:0:0:0:0:0:1', '::1'],
  ['2001:0db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
  ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
  ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
  ['fe80:0:0:0:0:0:0:0', 'fe80::'],
  ['192.0.2.255', '192.0.2.255'],
])('%s is written as %s', (given, written) => {
  expect(formatIp(parseIp(given) ?? new Uint8Array(4))).toBe(written);
});
