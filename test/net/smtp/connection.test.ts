import { once } from 'node:events';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { Channel } from '../../../src/net/smtp/connection.js';
import { fakeClock } from '../../fakes/clock.js';

test('a connection that is lost at the end of the TLS handshake is noticed at once', async () => {
  const channel = new Channel(new Socket(), { isEnabled: false, line: () => {} }, fakeClock());
  await channel.secure(async () => {
    const lost = new Socket();
    const closed = once(lost, 'close');
    lost.destroy();
    await closed;
    return lost;
  });
  await expect(channel.receive('ehlo', 20_000)).rejects.toMatchObject({ kind: 'closed' });
});
