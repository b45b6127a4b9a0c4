import { expect, test } from 'vitest';
import { decodeReply } from '../../../src/net/dns/message.js';
import { recordTypes } from '../../../src/net/dns/record-types.js';

test('a DNS answer with long chains of pointers is rejected quickly', () => {
  const chain = 8_000;
  const records = 4_000;
  const header = Buffer.from([0, 1, 0x81, 0x80, 0, 0, 0, 0, 0, 0, 0, 0]);
  header.writeUInt16BE(records + 1, 6);
  const fixed = Buffer.from([0, 16, 0, 1, 0, 0, 0, 60, 0, 0]);
  const first = Buffer.concat([Buffer.from([0]), fixed]);
  first.writeUInt16BE(2 * chain, 9);
  const start = header.length + first.length;
  const pointers = Buffer.alloc(2 * chain);
  for (let index = 1; index < chain; index++) pointers.writeUInt16BE(0xc000 + start + 2 * (index - 1), 2 * index);
  const record = Buffer.concat([Buffer.alloc(2), fixed]);
  record.writeUInt16BE(0xc000 + start + 2 * (chain - 1), 0);
  const message = Buffer.concat([header, first, pointers, ...Array.from({ length: records }, () => record)]);
  for (let times = 0; times < 100; times++) {
    expect(decodeReply(message, { name: 'a.com', kind: recordTypes.MX })).toBeNull();
  }
});
