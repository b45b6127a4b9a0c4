import { type Answer, decode, encode, RECURSION_AVAILABLE } from 'dns-packet';
import { describe, expect, test } from 'vitest';
import { a, mx } from '../fakes/dns-records.js';
import { dnsBehaviors, type Exchange, sendParts } from './dns-behaviors.js';
import { startHostileDns, startHostileHosts } from './hostile-servers.js';
import { bulkRun } from './mail-zone.js';

const hostIp = '127.7.0.1';
const types = ['MX', 'A'] as const;
const cases = types.flatMap((type) =>
  dnsBehaviors.map((line) => ({ ...line, type, name: `${line.name}, for ${type}` })),
);

/** The domain and its mail host have the same address, so that a domain without MX would be served, too. */
function answersFor(type: string, name: string): Answer[] {
  if (type === 'NS' && name === 'com') return [{ type: 'NS', name, ttl: 60, data: 'ns.com' }];
  if (type === 'MX' && /^d\d+\.com$/.test(name)) return [mx(`mx.${name}`, 10, name)];
  return type === 'A' && /^(?:mx\.)?d\d+\.com$/.test(name) ? [a(hostIp, name)] : [];
}

function exchangeOf(query: Buffer): Exchange & { type: string; name: string } {
  const { id = 0, questions = [] } = decode(query);
  const [{ type, name } = { type: 'A', name: '' }] = questions;
  const found = answersFor(type, name.toLowerCase());
  const exists = found.length > 0 || /(?:^|\.)d\d+\.com$|^com$/i.test(name);
  const flags = RECURSION_AVAILABLE | (exists ? 0 : 3);
  const head = encode({ type: 'response', id, flags, questions });
  const whole = encode({ type: 'response', id, flags, questions, answers: found });
  const answerAt = head.length;
  // The name of the answer as a pointer to the question, as servers send it.
  const nameBytes = answerAt - 12 - 4;
  const record = found.length === 0 ? [] : [Buffer.from([0xc0, 12]), whole.subarray(answerAt + nameBytes)];
  const reply = Buffer.concat([whole.subarray(0, answerAt), ...record]);
  return { query, reply, answerAt, type, name: name.toLowerCase() };
}

/** The behavior for the question that its case is about. */
function caseFor({ type, name }: { type: string; name: string }) {
  const [, host, number] = /^(mx\.)?d(\d+)\.com$/.exec(name) ?? [];
  const found = number === undefined ? undefined : cases[Number(number)];
  const isMeant = type === 'MX' ? found?.type === 'MX' : type === 'A' && host !== undefined && found?.type === 'A';
  return isMeant ? found : undefined;
}

describe('a resolver', () => {
  test(`that misbehaves in ${cases.length} ways causes no false verdict, and each address is answered in time`, async () => {
    expect(cases.length).toBeGreaterThanOrEqual(120);
    const commands = new Set<string>();
    const hosts = await startHostileHosts(() => null, commands);
    const dns = await startHostileDns(
      (query, send) => {
        const exchange = exchangeOf(query);
        if (exchange.name === 'nowhere.com') return;
        void sendParts(caseFor(exchange)?.send(exchange) ?? [exchange.reply], send);
      },
      (query, socket) => {
        const exchange = exchangeOf(query);
        const bytes = caseFor(exchange)?.tcp?.(exchange) ?? 'silence';
        if (bytes === 'hang_up') socket.destroy();
        else if (bytes !== 'silence') socket.write(bytes);
      },
    );
    const good = Array.from({ length: 10 }, (_, index) => `jane@d${cases.length + index}.com`);
    const emails = [...cases.map((_, index) => `jane@d${index}.com`), ...good];
    const startedAt = performance.now();
    const options = { resolvers: [`127.0.0.1:${dns.port}`], smtpPort: hosts.port, timeoutMs: 2_000, concurrency: 200 };
    const seen = await bulkRun(emails, options);
    const elapsedMs = performance.now() - startedAt;
    hosts.close();
    dns.close();
    const falseVerdicts = cases.flatMap(({ name }, index) => {
      const verdict = seen.get(`jane@d${index}.com`) ?? 'no answer';
      const wasAsked = commands.has(`RCPT TO:<jane@d${index}.com>`);
      return (verdict === 'valid' && wasAsked) || verdict.startsWith('unknown') ? [] : [`${name}: ${verdict}`];
    });
    expect(falseVerdicts).toEqual([]);
    for (const email of good) expect(seen.get(email)).toBe('valid');
    expect(elapsedMs).toBeLessThan(20_000);
  });
});
