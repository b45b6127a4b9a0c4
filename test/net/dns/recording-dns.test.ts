import { expect, test } from 'vitest';
import { recordingDns } from '../../../src/net/dns/recording-dns.js';
import { fakeDns, found, foundMx, nxdomain } from '../../fakes/fake-dns.js';

test('queries and answers are recorded in order', async () => {
  const { dns, lookups } = recordingDns(
    fakeDns({ 'MX a.example': foundMx('10 b.example'), 'A b.example': found('8.8.8.8'), 'TXT a.example': nxdomain }),
  );
  expect(await dns.mx('a.example')).toEqual(foundMx('10 b.example'));
  await dns.addresses('b.example');
  await dns.txt('a.example');
  expect(lookups).toMatchObject([
    { type: 'MX', name: 'a.example', outcome: 'found', records: ['10 b.example'] },
    { type: 'A/AAAA', name: 'b.example', outcome: 'found', records: ['8.8.8.8'] },
    { type: 'TXT', name: 'a.example', outcome: 'nxdomain', records: [] },
  ]);
});
