import { expect, test, vi } from 'vitest';
import { systemDns } from '../../../src/net/dns/dns.js';
import { lookUpResolvers, parseResolver } from '../../../src/net/dns/resolver-address.js';

test.each([
  ['192.0.2.53', { ip: '192.0.2.53', family: 4, port: 53 }],
  [' 192.0.2.53:5353 ', { ip: '192.0.2.53', family: 4, port: 5353 }],
  ['2001:db8::53', { ip: '2001:db8::53', family: 6, port: 53 }],
  ['[2001:db8::53]', { ip: '2001:db8::53', family: 6, port: 53 }],
  ['[2001:db8::53]:5353', { ip: '2001:db8::53', family: 6, port: 5353 }],
  ['fe80::1%eth0', { ip: 'fe80::1%eth0', family: 6, port: 53 }],
  ['localhost:5353', { ip: '127.0.0.1', family: 4, port: 5353 }],
])('the resolver %s is accepted', (text, want) => expect(parseResolver(text)).toEqual(want));

test.each([
  { text: '', says: /not the address/ },
  { text: '192.0.2.53:', says: /not the address/ },
  { text: '192.0.2.53:0', says: /not the address/ },
  { text: '192.0.2.53:65536', says: /not the address/ },
  { text: '192.0.2.53:dns', says: /not the address/ },
  { text: '999.0.2.53', says: /not the address/ },
  { text: '[2001:db8::53', says: /not the address/ },
  { text: 'udp://192.0.2.53', says: /not the address/ },
  { text: '[dns.example.com]:53', says: /not the address/ },
])('the resolver "$text" is refused', ({ text, says }) => {
  expect(() => systemDns({ resolvers: [text] })).toThrowError(
    expect.objectContaining({ code: 'usage', message: expect.stringMatching(says) }),
  );
});

test('names are resolved by the system, and addresses stay unchanged', async () => {
  const dns = process.getBuiltinModule('node:dns').promises;
  const lookup = vi.spyOn(dns, 'lookup').mockImplementation(async (name) => {
    if (String(name) === 'dns.corp') return { address: '192.0.2.53', family: 4 };
    if (String(name) === 'dns6.corp') return { address: '2001:db8::53', family: 6 };
    throw Object.assign(new Error('ENOTFOUND'), { code: 'ENOTFOUND' });
  });
  try {
    expect(await lookUpResolvers(['dns.corp', 'dns6.corp:5353', '192.0.2.1', '[2001:db8::1]:54'])).toEqual([
      '192.0.2.53:53',
      '[2001:db8::53]:5353',
      '192.0.2.1',
      '[2001:db8::1]:54',
    ]);
    await expect(lookUpResolvers(['nowhere.corp'])).rejects.toMatchObject({
      code: 'usage',
      message: 'The resolver "nowhere.corp" cannot be looked up.',
    });
  } finally {
    lookup.mockRestore();
  }
});
