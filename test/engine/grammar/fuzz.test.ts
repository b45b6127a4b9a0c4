import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseAddress } from '../../../src/engine/grammar/parse-address.js';
import { wireForm } from '../../../src/net/probe/mailbox-probe.js';
import { invalidAddresses, validAddresses } from './known-addresses.js';

const seed = 20_261_115;
const known = [...Object.values(validAddresses), ...Object.values(invalidAddresses)]
  .flat()
  .filter((text) => text.length < 1000);
const telling = [...'@ . " \\ < > ( ) [ ] : , ; - + -- xn-- IPv6: at'.split(' '), ' ', '\t', '\0'];
const foreign = [...'é \u0301 界 😀 \u200d \u200b \u202e \ud800 。 ＠ א ١ ß \ufe0f \u037e \u212a'.split(' ')];

const anyUnits = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 80 })
  .map((units) => String.fromCharCode(...units));
const anyBytes = fc.uint8Array({ maxLength: 120 }).map((bytes) => Buffer.from(bytes).toString('latin1'));
const anyGraphemes = fc.string({ unit: 'grapheme', maxLength: 60 });
const anyMix = fc
  .array(fc.oneof(fc.constantFrom(...telling), fc.constantFrom(...foreign), fc.constantFrom('a', 'B', '1', 'com')), {
    maxLength: 30,
  })
  .map((pieces) => pieces.join(''));
const mutated = fc
  .tuple(
    fc.constantFrom(...known),
    fc.array(fc.tuple(fc.nat(), fc.nat({ max: 3 }), fc.constantFrom(...telling, ...foreign)), { maxLength: 4 }),
  )
  .map(([text, edits]) => edits.reduce((before, [where, cut, piece]) => mutate(before, where, cut, piece), text));
const nearlyValid = fc
  .tuple(anyMix, fc.oneof(anyMix, fc.domain()), fc.boolean())
  .map(([local, domain, quoted]) => `${quoted ? `"${local}"` : local}@${domain}.com`);

function mutate(text: string, where: number, cut: number, piece: string): string {
  const position = where % (text.length + 1);
  return text.slice(0, position) + piece + text.slice(position + cut);
}

test.each([
  ['UTF-16 units', anyUnits],
  ['bytes', anyBytes],
  ['graphemes', anyGraphemes],
  ['pieces of addresses', anyMix],
  ['mutated addresses', mutated],
  ['nearly valid addresses', nearlyValid],
])('any text: %s is an address that renders the same again, or a fault with a message', (_name, texts) => {
  fc.assert(fc.property(texts, holds), { seed, numRuns: 600 });
});

function holds(text: string): void {
  const parsed = parseAddress(text);
  if (parsed.ok) {
    const { address } = parsed;
    expect(parseAddress(wireForm(address))).toEqual(parsed);
    expect(parseAddress(`${address.localPart}@${address.displayDomain}`)).toEqual(parsed);
    expect(address.domain).toMatch(/^[\x21-\x7e]+$/);
    expect(Buffer.byteLength(wireForm(address))).toBeLessThanOrEqual(254);
    return;
  }
  const { message, position, suggestion } = parsed.fault;
  expect(message).toMatch(/^["A-Z].*\.$/);
  expect(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u.test(message.replaceAll('\u200d', '').replaceAll('\u200c', ''))).toBe(
    false,
  );
  expect(position >= 0 && position <= text.length).toBe(true);
  if (suggestion !== null) expect(parseAddress(suggestion).ok).toBe(true);
}

describe('hostile shapes', () => {
  const shapes = [
    ...'@ . " \\ < ( [ : - xn--a. a@a. a@b.co, <a@b.co> mailto: é \u0301 界\u200d 😀 א "\\"'.split(' '),
    ...[' ', ' at '],
  ];
  const wraps = [
    (body: string) => body,
    (body: string) => `a${body}@example.com`,
    (body: string) => `a@${body}com`,
    (body: string) => `"${body}"@example.com`,
    (body: string) => `a@[IPv6:${body}]`,
  ];

  test.each(shapes)('a megabyte of %j is rejected without being parsed', (shape) => {
    for (const wrap of wraps) {
      const text = wrap(shape.repeat(Math.ceil(1_000_000 / shape.length)));
      expect(parseAddress(text)).toMatchObject({ ok: false, fault: { code: 'address_too_long' } });
    }
  });

  test.each(shapes)('the longest text of %j that is parsed gets an answer', (shape) => {
    for (const wrap of wraps) {
      const text = wrap(shape.repeat(Math.floor(980 / shape.length)));
      expect(text.length).toBeLessThanOrEqual(1000);
      holds(text);
    }
  });
});
