import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ValidationResult } from '../../src/model/result.js';
import { addressOfHabit, type Habit, startMisbehaving } from './misbehaving.js';
import { type LabDomain, nameServerPort, startNameServer } from './name-server.js';
import { ensurePackages } from './packages.js';
import { labSender, listeners, startPostfix } from './postfix.js';

const bin = resolve(import.meta.dirname, '../../bin/mailvet.js');
const dir = mkdtempSync(join(tmpdir(), 'mailvet-lab-'));
const at = (name: string) => `${name}.vetlab.com`;
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
  twohosts: [
    { host: 'dead.vetlab.com', address: dead, preference: 5 },
    { host: 'mx.twohosts.vetlab.com', address: listeners.plain, preference: 10 },
  ],
  refusesfirst: [
    { host: 'no.vetlab.com', address: addressOfHabit.refusesUs, preference: 5 },
    { host: 'mx.refusesfirst.vetlab.com', address: listeners.plain, preference: 10 },
  ],
  aonly: [],
};

const domains: LabDomain[] = [
  ...Object.entries(postfixDomains).map(
    ([name, hosts]): LabDomain => ({ name: at(name), mx: hosts ?? [], txt: ['v=spf1 mx -all'] }),
  ),
  ...(Object.keys(addressOfHabit) as Habit[]).map(
    (habit): LabDomain => ({ name: at(habit.toLowerCase()), mx: mx(addressOfHabit[habit]) }),
  ),
  { name: at('alias'), alias: at('good') },
  { name: at('elsewhere'), mx: mx(listeners.plain) },
  { name: at('nullmx'), nullMx: true },
  { name: at('nomail'), txt: ['v=spf1 -all'], address: listeners.plain },
  { name: at('textonly'), txt: ['hello'] },
  { name: at('deadmx'), mx: [{ host: 'gone.vetlab.com', address: null }] },
  { name: at('private'), mx: mx('10.1.2.3') },
  { name: at('unreachable'), mx: mx(dead, 'dead.vetlab.com') },
];
const aOnly = domains.find(({ name }) => name === at('aonly'));
if (aOnly) {
  aOnly.address = listeners.plain;
  aOnly.txt = [];
}
const dmarced = domains.find(({ name }) => name === at('good'));
if (dmarced) dmarced.dmarc = ['v=DMARC1; p=reject'];

const mailboxes = [
  ...Object.keys(postfixDomains).flatMap((name) =>
    name === 'all' ? [`@${at(name)}`] : [`jane@${at(name)}`, `info@${at(name)}`],
  ),
  `jürgen@${at('good')}`,
  `jane@${at('alias')}`,
];

interface Fact {
  email: string;
  status: string;
  sub: string;
}

const facts: Fact[] = [
  { email: 'jane@good', status: 'valid', sub: '' },
  { email: 'jane+news@good', status: 'valid', sub: 'alias_address' },
  { email: 'nobody@good', status: 'invalid', sub: 'mailbox_not_found' },
  { email: 'full@good', status: 'risky', sub: 'mailbox_quota_exceeded' },
  { email: 'former@good', status: 'invalid', sub: 'mailbox_disabled' },
  { email: 'info@good', status: 'risky', sub: 'role_based' },
  { email: 'admin@good', status: 'invalid', sub: 'mailbox_not_found' },
  { email: 'jürgen@good', status: 'valid', sub: '' },
  { email: '用户@neverutf8', status: 'invalid', sub: 'smtputf8_unsupported' },
  { email: 'jane@all', status: 'risky', sub: 'catch_all' },
  { email: 'info@all', status: 'risky', sub: 'role_based_catch_all' },
  { email: 'jane@grey', status: 'unknown', sub: 'greylisted' },
  { email: 'jane@tls', status: 'valid', sub: '' },
  { email: 'nobody@tls', status: 'invalid', sub: 'mailbox_not_found' },
  { email: 'jane@blocked', status: 'unknown', sub: 'antispam_system' },
  { email: 'jane@picky', status: 'valid', sub: '' },
  { email: 'jane@closed', status: 'unknown', sub: 'sender_rejected' },
  { email: 'jane@plainold', status: 'valid', sub: '' },
  { email: 'nobody@plainold', status: 'invalid', sub: 'mailbox_not_found' },
  { email: 'jane@elsewhere', status: 'unknown', sub: 'antispam_system' },
  { email: 'jane@screened', status: 'valid', sub: '' },
  { email: 'jane@twohosts', status: 'valid', sub: '' },
  { email: 'jane@refusesfirst', status: 'valid', sub: '' },
  { email: 'nobody@refusesfirst', status: 'invalid', sub: 'mailbox_not_found' },
  { email: 'jane@aonly', status: 'valid', sub: '' },
  { email: 'jane@alias', status: 'valid', sub: '' },
  { email: 'jane@nullmx', status: 'invalid', sub: 'does_not_accept_mail' },
  { email: 'jane@nomail', status: 'invalid', sub: 'does_not_accept_mail' },
  { email: 'jane@textonly', status: 'invalid', sub: 'no_dns_entries' },
  { email: 'jane@nosuchname', status: 'invalid', sub: 'no_dns_entries' },
  { email: 'jane@deadmx', status: 'invalid', sub: 'no_dns_entries' },
  { email: 'jane@servfail', status: 'unknown', sub: 'dns_error' },
  { email: 'jane@private', status: 'invalid', sub: 'unroutable_ip_address' },
  { email: 'jane@unreachable', status: 'unknown', sub: 'failed_smtp_connection' },
  { email: 'jane@silent', status: 'unknown', sub: 'mail_server_did_not_respond' },
  { email: 'jane@dropsatonce', status: 'unknown', sub: 'mail_server_did_not_respond' },
  { email: 'jane@dropsatrcpt', status: 'unknown', sub: 'forcible_disconnect' },
  { email: 'jane@garbage', status: 'unknown', sub: 'exception_occurred' },
  { email: 'jane@endlessline', status: 'unknown', sub: 'exception_occurred' },
  { email: 'jane@endlessbanner', status: 'unknown', sub: 'exception_occurred' },
  { email: 'jane@onebyteasecond', status: 'unknown', sub: 'timeout_exceeded' },
  { email: 'jane@closesbusy', status: 'unknown', sub: 'mail_server_temporary_error' },
  { email: 'jane@refusesus', status: 'unknown', sub: 'antispam_system' },
  { email: 'jane@heloonly', status: 'risky', sub: 'catch_all' },
  { email: 'jane@userunknowningerman', status: 'valid', sub: '' },
  { email: 'nobody@userunknowningerman', status: 'invalid', sub: 'mailbox_not_found' },
  { email: 'jane@policyforall', status: 'unknown', sub: 'antispam_system' },
  { email: 'jane@nosuchuseras571', status: 'invalid', sub: 'mailbox_not_found' },
  { email: 'jane@cannotverify', status: 'risky', sub: 'catch_all' },
  { email: 'jane@mailboxfulllater', status: 'risky', sub: 'mailbox_quota_exceeded' },
  { email: 'jane@toomanyrcpts', status: 'valid', sub: '' },
].map((fact) => ({ ...fact, email: at(fact.email) }));

const replies = {
  [`full@${at('good')}`]: '552 5.2.2 Mailbox full',
  [`former@${at('good')}`]: '550 5.2.1 The account has been disabled',
};

const stops: (() => Promise<unknown>)[] = [];
const results = new Map<string, ValidationResult>();

beforeAll(async () => {
  ensurePackages();
  const nameServer = await startNameServer(dir, domains, at('servfail'));
  stops.push(nameServer.stop);
  const misbehaving = await startMisbehaving();
  stops.push(misbehaving.stop);
  const postfix = await startPostfix(dir, [...Object.keys(postfixDomains), 'alias'].map(at), mailboxes, replies);
  stops.push(postfix.stop);

  const list = join(dir, 'list.txt');
  writeFileSync(list, facts.map(({ email }) => `${email}\n`).join(''));
  for (const line of (await runMailvet(['bulk', list, '--format', 'ndjson', '--greylist-wait', '0'])).split('\n')) {
    if (line === '') continue;
    const result = JSON.parse(line) as ValidationResult;
    results.set(result.email, result);
  }
}, 300_000);

afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
  rmSync(dir, { recursive: true, force: true });
}, 60_000);

function runMailvet(args: string[]): Promise<string> {
  const flags = [
    '--resolver',
    `127.0.0.1:${nameServerPort}`,
    '--allow-network',
    '127.0.0.0/8',
    '--mail-from',
    labSender,
    '--ehlo-name',
    'probe.vetlab.com',
    '--timeout',
    '10s',
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
  test.each(facts)('$email → $status/$sub', ({ email, status, sub }) => {
    const result = results.get(email);
    expect({ status: result?.status, sub: result?.sub_status, reasons: result?.reasons }).toMatchObject({
      status,
      sub,
    });
  });

  test('SPF, DMARC and the reply code are reported', () => {
    expect(results.get(`jane@${at('good')}`)?.details).toMatchObject({
      has_spf: true,
      has_dmarc: true,
      smtp_code: 250,
      dns_valid: true,
    });
    expect(results.get(`jane@${at('aonly')}`)?.details).toMatchObject({ has_spf: false });
  });

  test('--explain shows the dialogue and the rule', async () => {
    const { evidence } = JSON.parse(
      await runMailvet(['validate', `nobody@${at('good')}`, '--explain', '--json']),
    ) as ValidationResult;
    expect(evidence?.mailbox?.rule).toBeTruthy();
    expect(evidence?.mailbox?.dialogue.map(({ text }) => text).join('\n')).toContain('RCPT TO');
  });
});
