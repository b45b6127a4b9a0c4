import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { openNetworkCheckers } from '../../src/engine/network-checks.js';
import { anAddress } from './an-address.js';

test('queries that are open when it is closed say nothing about the resolver', async () => {
  const silent = createSocket('udp4').bind(0, '127.0.0.1');
  await once(silent, 'listening');
  const notes: string[] = [];
  const source = await openNetworkCheckers({
    ...{ level: 'dns', resolvers: [`127.0.0.1:${silent.address().port}`] },
    onNote: (note) => notes.push(note),
  });
  const { route } = source.checkers(false).domain(anAddress('ada@x.example'));
  await source.close();
  await Promise.allSettled([route]);
  silent.close();
  expect(notes).toEqual([]);
});
