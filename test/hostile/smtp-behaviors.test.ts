import { describe, expect, test } from 'vitest';
import { type HostileHost, type SmtpStage, startHostileHosts } from './hostile-servers.js';
import { bulkRun, startZone } from './mail-zone.js';
import { smtpBehaviors } from './smtp-behaviors.js';

interface Case extends HostileHost {
  name: string;
  isLate: boolean;
}

const stages: readonly SmtpStage[] = ['banner', 'ehlo', 'mail', 'rcpt'];
const cases: Case[] = stages.flatMap((stage) =>
  [true, false].flatMap((isPipelining) =>
    smtpBehaviors
      .filter(({ notAt }) => notAt?.includes(stage) !== true)
      .map(({ name, behavior, isLate = false }) => ({
        name: `${name} at ${stage}${isPipelining ? ', pipelined' : ''}`,
        ...{ stage, behavior, isPipelining, isLate },
      })),
  ),
);
const domainOf = (index: number): string => `host${index}.com`;
const ipOf = (index: number): string => `127.6.${index >> 7}.${(index & 127) + 1}`;

/** Probes an existing and a missing mailbox at each host. Returns their verdicts, and whether the first was asked for. */
async function ask(hosts: readonly HostileHost[]) {
  const byIp = new Map(hosts.map((host, index) => [ipOf(index), host]));
  const commands = new Set<string>();
  const server = await startHostileHosts((ip) => byIp.get(ip) ?? null, commands);
  const names = hosts.map((_, index) => domainOf(index));
  const zone = await startZone(
    names.map((name, index) => ({ name, hosts: [{ name: `mx.${name}`, addresses: [ipOf(index)] }] })),
  );
  const emails = names.flatMap((name) => [`jane@${name}`, `gone@${name}`]);
  const options = { resolvers: [zone.address], smtpPort: server.port, timeoutMs: 2_500, concurrency: 200 };
  const seen = await bulkRun(emails, options);
  server.close();
  await zone.close();
  const verdictOf = (email: string): string => seen.get(email) ?? 'no answer';
  return names.map((name) => ({
    jane: verdictOf(`jane@${name}`),
    gone: verdictOf(`gone@${name}`),
    wasAsked: commands.has(`RCPT TO:<jane@${name}>`),
  }));
}

describe('a mail host', () => {
  test('that follows the protocol leads to correct verdicts', async () => {
    const behavior: HostileHost['behavior'] = (socket, reply) => socket.write(reply);
    const hosts = stages.flatMap((stage) => [true, false].map((isPipelining) => ({ stage, behavior, isPipelining })));
    for (const answer of await ask(hosts))
      expect(answer).toEqual({ jane: 'valid', gone: 'invalid mailbox_not_found', wasAsked: true });
  });

  test(`that violates it in ${cases.length} ways causes no false verdict, and each address is answered in time`, async () => {
    expect(cases.length).toBeGreaterThanOrEqual(120);
    const startedAt = performance.now();
    const answers = await ask(cases);
    expect(performance.now() - startedAt).toBeLessThan(25_000);
    const falseVerdicts = answers.flatMap(({ jane, gone, wasAsked }, index) => {
      const { name = '', isLate = false } = cases[index] ?? {};
      const isTrue = /^(?:valid|risky|unknown)/.test(jane) && /^(?:invalid|risky|unknown)/.test(gone);
      const hasAnswers = jane !== 'no answer' && gone !== 'no answer';
      const isProven = wasAsked || jane.startsWith('unknown');
      return hasAnswers && isProven && (isTrue || isLate) ? [] : [`${name}: ${jane}; ${gone}`];
    });
    expect(falseVerdicts).toEqual([]);
  });
});
