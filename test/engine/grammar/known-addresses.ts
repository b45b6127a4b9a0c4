import { readFileSync } from 'node:fs';

type Table = Record<string, string[]>;

function readJson<Value>(name: string): Value {
  return JSON.parse(readFileSync(new URL(`../../fixtures/facts/${name}.json`, import.meta.url), 'utf8')) as Value;
}

/** Common mistakes, with the fault of each. */
export const mistakes =
  readJson<[text: string, code: string, position: number, suggestion: string | null][]>('mistyped-addresses');

/** The addresses of a fixture, and others that are long or have a character each. */
function readTable(name: string, others: Table): Table {
  const table = readJson<Table>(name);
  const keys = new Set([...Object.keys(table), ...Object.keys(others)]);
  return Object.fromEntries([...keys].map((key) => [key, [...(table[key] ?? []), ...(others[key] ?? [])]]));
}

const repeatA = (count: number): string => 'a'.repeat(count);
const labelsOf = (length: number, count: number): string => `${repeatA(length)}.`.repeat(count);

/** Addresses that a conforming server can be asked to deliver to, by the text that shows why. */
export const validAddresses = readTable('valid-addresses', {
  'every atext character (RFC 5322 §3.2.3)': Array.from("!#$%&'*+-/=?^_`{|}~", (sign) => `x${sign}y@example.com`),
  'quoted strings (RFC 5321 §4.1.2)': [`"${repeatA(62)}"@example.com`],
  'lengths at their limits (RFC 5321 §4.5.3.1)': [
    ...[`${repeatA(64)}@example.com`, `a@${repeatA(63)}.com`, `a@a.${repeatA(63)}`],
    ...[`${repeatA(64)}@${repeatA(63)}.com`, `${repeatA(64)}@${labelsOf(63, 2)}${repeatA(57)}.com`],
    ...[`abc@${labelsOf(49, 4)}${repeatA(49)}`, `a@${'x.'.repeat(124)}com`],
    ...[`${'é'.repeat(32)}@example.com`, `${'界'.repeat(21)}x@example.com`],
  ],
});

/** Texts that are not an RFC 5321 mailbox, by their fault code. */
export const invalidAddresses = readTable('invalid-addresses', {
  several_addresses: ['a@example.com, '.repeat(100)],
  local_too_long: [
    ...[`${repeatA(65)}@example.com`, `${repeatA(200)}@example.com`, `${repeatA(65)}@[127.0.0.1]`],
    ...[`${'é'.repeat(33)}@example.com`, `${'界'.repeat(22)}@example.com`, `${'😀'.repeat(17)}@example.com`],
    ...[`${'ｇｍａｉｌ'.repeat(5)}@gmail.com`, `"${repeatA(63)}"@example.com`],
  ],
  domain_too_long: [`a@${labelsOf(61, 4)}abcdef`, `abc@${labelsOf(49, 5)}abcd`],
  label_too_long: [
    ...[`a@${repeatA(64)}.com`, `a@a.${repeatA(64)}`],
    ...[`a@${'ü'.repeat(60)}.com`, `a@${'界'.repeat(60)}.com`],
  ],
  address_too_long: [
    ...[`${repeatA(64)}@${labelsOf(63, 2)}${repeatA(58)}.com`, `${repeatA(10)}@${labelsOf(48, 4)}${repeatA(46)}.a`],
    ...[`${repeatA(64)}@${labelsOf(60, 3)}${repeatA(10)}`, `my.λong@${labelsOf(49, 4)}${repeatA(46)}`],
    ...[`${repeatA(1001)}@example.com`, repeatA(100_000), '@'.repeat(5000), ' '.repeat(2000)],
  ],
});
