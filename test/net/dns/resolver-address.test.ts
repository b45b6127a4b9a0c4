import { expect, test } from 'vitest';
import { systemDns } from '../../../src/net/dns/dns.js';
import { parseResolver } from '../../../src/net/dns/resolver-address.js';

test.each([
  ['192.0.2.53', { ip: '192.0.2.53', family: 4, port: 53 }],
  [' 192.0.2.53:5353 ', { ip: '192.0.2.53', family: 4, port: 5353 }],
  ['2001:db8::53', { ip: '2001:db8::53', family: 6, port: 53 }],
  ['[2001:db8::53]', { ip: '2001:db8::53', family: 6, port: 53 }],
  ['[2001:db8::53]:5353', { ip: '2001:db8::53', family: 6, port: 5353 }],
  ['fe80::1%eth0', { ip: 'fe80::1%eth0', family: 6, port: 53 }],
  ['localhost:5353', { ip: '127.0.0.1', family: 4, port: 5353 }],
])('the resolver %s is understood', (text, want) => {
  expect(parseResolver(text)).toEqual(want);
});

test.each([
  { text: '', says: /not the address/ },
  { text: '192.0.2.53:', says: /not the address/ },
  { text: '192.0.2.53:0', says: /not the address/ },
  { text: '192.0.2.53:65536', says: /not the address/ },
  { text: '192.0.2.53:dns', says: /not the address/ },
  { text: '999.0.2.53', says: /not the address/ },
  { text: '[2001:db8::53', says: /not the address/ },
  { text: 'udp://192.0.2.53', says: /not the address/ },
  { text: 'dns.example.com', says: /is a name/ },
  { text: 'dns.example.com:5353', says: /is a name/ },
])('the resolver "$text" is refused', ({ text, says }) => {
  expect(() => systemDns({ resolvers: [text] })).toThrowError(
    expect.objectContaining({ code: 'usage', message: expect.stringMatching(says) }),
  );
});
