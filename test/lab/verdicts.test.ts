import { execFile, fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ValidationResult } from '../../src/model/result.js';
import { eximDomains, eximFacts, startExim } from './exim.js';
import { type Fact, factsFrom, labDomain } from './fact.js';
import { addressOfHabit, type Habit, startMisbehaving } from './misbehaving.js';
import { type LabDomain, nameServerPort, startNameServer } from './name-server.js';
import { opensmtpdDomains, opensmtpdFacts, startOpensmtpd } from './opensmtpd.js';
import { ensurePackages } from './packages.js';
import { labSender, listeners, startPostfix } from './postfix.js';
import { sendmailDomains, sendmailFacts, startSendmail } from './sendmail.js';
import { resolverPort, startUnbound, unboundFacts } from './unbound.js';
import { startVagueHosts, vagueDomains, vagueFacts } from './vague-hosts.js';

const bin = resolve(import.meta.dirname, '../../bin/mailvet.js');
const dir = mkdtempSync(join(tmpdir(), 'mailvet-lab-'));
const mx = (address: string, host = `mx${address.replaceAll('.', '-')}.vetlab.com`) => [{ host, address }];

const dead = '127.0.12.1';
const postfixDomains: Record<string, LabDomain['mx']> = {
  good: mx(listeners.plain),
  all: mx(listeners.plain),
  grey: mx(listeners.greylisting),
  tls: mx(listeners.tlsOnly),
  blocked: mx(listeners.blocklisting),
  picky: mx(listeners.picksSenders),
  closed: mx(listeners.refusesSenders),
  plainold: mx(listeners.noPipelining),
  screened: mx(listeners.postscreen),
  fewerrors: mx(listeners.fewErrors),
  onercpt: mx(listeners.oneRecipient),
  oneconnection: mx(listeners.oneConnection),
  slowtoerr: mx(listeners.slowToErr),
  softbounce: mx(listeners.softBounce),
  unlisted: mx(listeners.acceptsUnlisted),
  twohosts: [
    { host: 'dead.vetlab.com', address: dead, preference: 5 },
    { host: 'mx.twohosts.vetlab.com', address: listeners.plain, preference: 10 },
  ],
  refusesfirst: [
    { host: 'no.vetlab.com', address: addressOfHabit.refusesUs, preference: 5 },
    { host: 'mx.refusesfirst.vetlab.com', address: listeners.plain, preference: 10 },
  ],
  aonly: [],
  aliasedmx: [{ host: labDomain('mxalias'), address: null }],
  halfdead: [
    { host: 'gone.vetlab.com', address: null, preference: 5 },
    { host: 'mx.halfdead.vetlab.com', address: listeners.plain, preference: 10 },
  ],
  backup: [
    { host: 'first.vetlab.com', address: addressOfHabit.defersAll, preference: 5 },
    { host: 'backup.vetlab.com', address: addressOfHabit.heloOnly, preference: 10 },
  ],
  eximcallout: mx(eximDomains.eximcallout),
};

const domains: LabDomain[] = [
  ...Object.entries(postfixDomains).map(
    ([name, hosts]): LabDomain => ({ name: labDomain(name), mx: hosts ?? [], txt: ['v=spf1 mx -all'] }),
  ),
  ...(Object.keys(addressOfHabit) as Habit[]).map(
    (habit): LabDomain => ({ name: labDomain(habit.toLowerCase()), mx: mx(addressOfHabit[habit]) }),
  ),
  ...Object.entries({ ...eximDomains, ...opensmtpdDomains, ...sendmailDomains, ...vagueDomains }).map(
    ([name, address]): LabDomain => ({ name: labDomain(name), mx: mx(address) }),
  ),
  { name: labDomain('alias'), alias: labDomain('good') },
  { name: labDomain('elsewhere'), mx: mx(listeners.plain) },
  { name: labDomain('nullmx'), nullMx: true },
  { name: labDomain('nomail'), txt: ['v=spf1 -all'], address: listeners.plain },
  { name: labDomain('textonly'), txt: ['hello'] },
  { name: labDomain('deadmx'), mx: [{ host: 'gone.vetlab.com', address: null }] },
  { name: labDomain('private'), mx: mx('10.1.2.3') },
  { name: labDomain('unreachable'), mx: mx(dead, 'dead.vetlab.com') },
  { name: labDomain('bogus'), mx: mx(listeners.plain) },
  { name: labDomain('aliascircle'), alias: labDomain('aliascircle2') },
  { name: labDomain('aliascircle2'), alias: labDomain('aliascircle') },
  { name: labDomain('circularmx'), mx: [{ host: labDomain('aliascircle'), address: null }] },
  { name: labDomain('mxalias'), alias: 'mx127-0-10-1.vetlab.com' },
  { name: labDomain('lame'), nameServer: '127.0.12.2' },
];
const aOnly = domains.find(({ name }) => name === labDomain('aonly'));
if (aOnly) {
  aOnly.address = listeners.plain;
  aOnly.txt = [];
}
const dmarced = domains.find(({ name }) => name === labDomain('good'));
if (dmarced) dmarced.dmarc = ['v=DMARC1; p=reject'];

const mailboxes = [
  ...Object.keys(postfixDomains).flatMap((name) =>
    name === 'all' ? [`@${labDomain(name)}`] : [`jane@${labDomain(name)}`, `info@${labDomain(name)}`],
  ),
  `jürgen@${labDomain('good')}`,
  `jane@${labDomain('alias')}`,
];

const facts = factsFrom('Postfix and hosts that misbehave');
for (const domain of ['fewerrors', 'onercpt', 'oneconnection', 'slowtoerr', 'tarpit']) {
  facts.push(...unknownThenJane(domain));
}
facts.push(...eximFacts, ...opensmtpdFacts, ...sendmailFacts, ...vagueFacts);

const replies = {
  [`full@${labDomain('good')}`]: '552 5.2.2 Mailbox full',
  [`former@${labDomain('good')}`]: '550 5.2.1 The account has been disabled',
};

/** A good mailbox among bad ones: a host may penalize the session. */
function unknownThenJane(domain: string): Fact[] {
  const strangers = ['ghost1', 'ghost2', 'ghost3', 'ghost4', 'ghost5'];
  return [
    ...strangers.map((name) => ({
      email: `${name}@${labDomain(domain)}`,
      status: 'invalid',
      sub: 'mailbox_not_found',
    })),
    { email: `jane@${labDomain(domain)}`, status: 'valid', sub: '' },
    { email: `info@${labDomain(domain)}`, status: 'risky', sub: 'role_based' },
  ];
}

const stops: (() => Promise<unknown>)[] = [];
const results = new Map<string, ValidationResult>();
const resolved = new Map<string, ValidationResult>();

beforeAll(async () => {
  ensurePackages();
  const nameServer = await startNameServer(dir, domains, labDomain('servfail'));
  stops.push(nameServer.stop);
  const misbehaving = await startMisbehaving();
  stops.push(misbehaving.stop);
  const vagueHosts = await startVagueHosts();
  stops.push(vagueHosts.stop);
  const postfix = await startPostfix(dir, [...Object.keys(postfixDomains), 'alias'].map(labDomain), mailboxes, replies);
  stops.push(postfix.stop);

  const exim = await startExim(dir, listeners.plain);
  stops.push(exim.stop);
  const opensmtpd = await startOpensmtpd(dir);
  stops.push(opensmtpd.stop);
  const sendmail = await startSendmail(dir);
  stops.push(sendmail.stop);
  const unbound = await startUnbound(dir);
  stops.push(unbound.stop);

  await runBulk(facts, nameServerPort, results);
  await runBulk(unboundFacts, resolverPort, resolved);
}, 300_000);

afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
  rmSync(dir, { recursive: true, force: true });
}, 60_000);

async function runBulk(wanted: Fact[], resolver: number, into: Map<string, ValidationResult>): Promise<void> {
  const list = join(dir, `list-${resolver}.txt`);
  writeFileSync(list, wanted.map(({ email }) => `${email}\n`).join(''));
  const lines = await runMailvet(['bulk', list, '--format', 'ndjson', '--greylist-wait', '0'], resolver);
  for (const line of lines.split('\n')) {
    if (line === '') continue;
    const result = JSON.parse(line) as ValidationResult;
    into.set(result.email, result);
  }
}

function runMailvet(args: string[], resolver = nameServerPort): Promise<string> {
  const flags = [
    '--set',
    `resolvers=127.0.0.1:${resolver}`,
    '--set',
    'allow_networks=127.0.0.0/8',
    '--set',
    `mail_from=${labSender}`,
    '--set',
    'ehlo_name=probe.vetlab.com',
    '--set',
    'timeout=10s',
  ];
  const env = { ...process.env, MAILVET_HOME: join(dir, 'home'), MAILVET_CONFIG_DIR: join(dir, 'config') };
  return new Promise((done, reject) => {
    execFile(
      process.execPath,
      [bin, ...args, ...flags],
      { env, maxBuffer: 64 << 20, timeout: 240_000 },
      (error, stdout, stderr) => {
        if (error && typeof error.code !== 'number') reject(new Error(`${error.message}\n${stderr}`));
        else done(stdout);
      },
    );
  });
}

describe('real servers', () => {
  test.each([
    ...facts.map((fact) => ({ ...fact, from: results })),
    ...unboundFacts.map((fact) => ({ ...fact, from: resolved })),
  ])('$email → $status/$sub', ({ email, status, sub, from }) => {
    const result = from.get(email);
    expect({ status: result?.status, sub: result?.sub_status, reasons: result?.reasons }).toMatchObject({
      status,
      sub,
    });
  });

  test('SPF, DMARC and the reply code are reported', () => {
    expect(results.get(`jane@${labDomain('good')}`)?.details).toMatchObject({
      has_spf: true,
      has_dmarc: true,
      smtp_code: 250,
      dns_valid: true,
    });
    expect(results.get(`jane@${labDomain('aonly')}`)?.details).toMatchObject({ has_spf: false });
  });

  test('a retry at a greylisting host gets its answer', async () => {
    const retry = async () =>
      (JSON.parse(await runMailvet(['validate', `jane@${labDomain('grey')}`, '--json'])) as ValidationResult).status;
    await expect.poll(retry, { timeout: 30_000, interval: 1_000 }).toBe('valid');
  }, 40_000);

  test('--explain shows the dialogue and the rule', async () => {
    const { evidence } = JSON.parse(
      await runMailvet(['validate', `nobody@${labDomain('good')}`, '--explain', '--json']),
    ) as ValidationResult;
    expect(evidence?.mailbox?.rule).toBeTruthy();
    expect(evidence?.mailbox?.dialogue.map(({ text }) => text).join('\n')).toContain('RCPT TO');
  });
});

/** How a verifier did on the labeled addresses. */
function score(says: (email: string) => boolean | null) {
  const counts = { right: 0, goodCalledBad: 0, badCalledGood: 0, noAnswer: 0, guessed: 0 };
  for (const { email, status, sub } of facts) {
    const said = says(email);
    if (sub === 'mailbox_quota_exceeded') continue;
    if (status === 'valid' || sub === 'role_based')
      counts[said ? 'right' : said === null ? 'noAnswer' : 'goodCalledBad']++;
    else if (status === 'invalid') counts[said === false ? 'right' : said === null ? 'noAnswer' : 'badCalledGood']++;
    else if (said !== null) counts.guessed++;
  }
  return counts;
}

function askPeer(verifier: string): Promise<Record<string, boolean | null>> {
  const task = { verifier, emails: facts.map(({ email }) => email), nameServer: `127.0.0.1:${nameServerPort}` };
  const identity = { sender: labSender, ehloName: 'probe.vetlab.com' };
  const child = fork(resolve('bench/lab-peers.mjs'), [JSON.stringify({ ...task, ...identity })], { stdio: 'ignore' });
  return new Promise((done, reject) => {
    child.once('message', done);
    child.once('exit', (status) =>
      reject(new Error(`${verifier} ended with ${status}. Run npm install --prefix bench.`)),
    );
  });
}

test.runIf(process.env['MAILVET_PEERS'])(
  'other verifiers are wrong more often on the same addresses',
  async () => {
    const ours = score((email) => {
      const { status, sub_status: sub } = results.get(email) ?? {};
      return status === 'valid' || sub === 'role_based' ? true : status === 'invalid' ? false : null;
    });
    const scores: Record<string, ReturnType<typeof score>> = { mailvet: ours };
    for (const peer of ['deep-email-validator', 'email-verify', 'email-deep-validator']) {
      const answers = await askPeer(peer);
      scores[peer] = score((email) => answers[email] ?? null);
    }
    console.table(scores);
    expect(ours).toMatchObject({ goodCalledBad: 0, badCalledGood: 0, guessed: 0 });
  },
  600_000,
);
