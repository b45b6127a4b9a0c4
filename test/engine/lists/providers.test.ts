import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { providerOf, providerReliability, providerTraits } from '../../../src/engine/lists/providers.js';
import { defaultTraits } from '../../../src/net/pool/host-traits.js';

test.each([
  ['gmail.com', ['gmail-smtp-in.l.google.com'], 'Google'],
  ['acme.co', ['aspmx.l.google.com', 'alt1.aspmx.l.google.com'], 'Google'],
  ['acme.co', ['smtp.google.com'], 'Google'],
  ['acme.co', ['aspmx2.googlemail.com'], 'Google'],
  ['acme.co', ['acme-co.mail.protection.outlook.com'], 'Microsoft'],
  ['acme.co', ['acme-co.p-v1.mx.microsoft'], 'Microsoft'],
  ['hotmail.com', ['hotmail-com.olc.protection.outlook.com'], 'Microsoft'],
  ['yahoo.com', ['mta5.am0.yahoodns.net'], 'Yahoo'],
  ['aol.com', ['mx-aol.mail.gm0.yahoodns.net'], 'Yahoo'],
  ['yahoo.co.jp', ['mx1.mail.yahoo.co.jp'], 'Yahoo Japan'],
  ['icloud.com', ['mx01.mail.icloud.com'], 'Apple'],
  ['acme.co', ['mx.zoho.eu'], 'Zoho'],
  ['proton.me', ['mail.protonmail.ch'], 'Proton'],
  ['acme.co', ['in1-smtp.messagingengine.com'], 'Fastmail'],
  ['acme.co', ['mx.yandex.net'], 'Yandex'],
  ['mail.ru', ['mxs.mail.ru'], 'Mail.ru'],
  ['gmx.de', ['mx00.emig.gmx.net'], 'GMX'],
  ['acme.co', ['mx0a-00123.pphosted.com'], 'Proofpoint'],
  ['acme.co', ['eu-smtp-inbound-1.mimecast.com'], 'Mimecast'],
  ['acme.co', ['d123.a.ess.barracudanetworks.com'], 'Barracuda'],
  ['acme.co', ['mx1.hc123.iphmx.com'], 'Cisco'],
  ['acme.co', ['acme.in.tmes.trendmicro.eu'], 'Trend Micro'],
  ['acme.co', ['inbound-smtp.eu-west-1.amazonaws.com'], 'Amazon'],
  ['acme.co', ['mx1.emailsrvr.com'], 'Rackspace'],
  ['acme.co', ['mailstore1.secureserver.net'], 'GoDaddy'],
  ['acme.co', ['mx1.mail.ovh.net'], 'OVHcloud'],
  ['acme.co', ['mx00.ionos.co.uk'], 'IONOS'],
  ['acme.co', ['spool.mail.gandi.net'], 'Gandi'],
  ['qq.com', ['mx1.qq.com'], 'Tencent'],
  ['163.com', ['163mx01.mxmail.netease.com'], 'NetEase'],
  ['acme.co', ['mx1.qiye.aliyun.com'], 'Alibaba'],
  ['naver.com', ['mx1.naver.com'], 'Naver'],
  ['tuta.com', ['mail.tutanota.de'], 'Tuta'],
  ['acme.co', ['aspmx1.migadu.com'], 'Migadu'],
  ['acme.co', ['mxa.mailgun.org'], 'Mailgun'],
  ['parse.acme.co', ['mx.sendgrid.net'], 'SendGrid'],
  ['acme.co', ['route1.mx.cloudflare.net'], 'Cloudflare'],
  ['acme.co', ['mx1.improvmx.com'], 'ImprovMX'],
  ['acme.co', ['mx1.forwardemail.net'], 'Forward Email'],
  ['acme.co', ['mx1.hostinger.com'], 'Hostinger'],
  ['acme.co', ['mx1.titan.email'], 'Titan'],
  ['acme.co', ['mx1.privateemail.com'], 'Namecheap'],
  ['acme.co', ['dead.acme.co', 'aspmx.l.google.com'], 'Google'],
  ['gmail.com', [], 'Google'],
  ['acme.co', ['mx.notgoogle.com'], 'notgoogle.com'],
  ['acme.co.uk', ['mx1.mail.acme.co.uk'], 'acme.co.uk'],
  ['acme.co', [], null],
  ['acme.co', [''], null],
])('the provider: of %s with %j is %s', (domain, hosts, want) => expect(providerOf(domain, hosts)).toBe(want));

describe('traits', () => {
  test('Yahoo accepts every recipient at RCPT and refuses later', () =>
    expect(providerTraits('Yahoo')?.acceptsAll).toBe(true));
  test.each(['Google', 'Microsoft', 'Apple', 'Mail.ru'])('an acceptance by %s proves the mailbox', (name) =>
    expect({ ...defaultTraits, ...providerTraits(name) }.acceptsAll).toBe(false),
  );
  test.each(['nobody.example', null])('%s has no known traits', (name) => expect(providerTraits(name)).toBeNull());
});

test('every fact about a provider has a sentence, a source and a date', () => {
  const { providers } = JSON.parse(readFileSync('src/engine/data/providers.json', 'utf8'));
  const facts = providers.flatMap(({ facts: known = [] }) => known);
  expect(new Set(facts.map(({ about }: { about: string }) => about))).toEqual(
    new Set(['limits', 'second_rcpt', 'accepts_all', 'words', 'reliability']),
  );
  for (const { statement, source, date } of facts) {
    expect(statement).toMatch(/\.$/);
    expect(source, statement).not.toBe('');
    expect(date, statement).toMatch(/^20\d\d-\d\d-\d\d$/);
  }
});

test.each([
  ['Interia', 'mailbox_disabled', 0.6],
  ['Interia', 'mailbox_not_found', null],
  ['Google', 'mailbox_not_found', 0.99],
  ['Google', 'mailbox_quota_exceeded', 0.98],
  ['nobody.example', 'mailbox_not_found', null],
  [null, 'mailbox_not_found', null],
] as const)('the reading of %s for %s is correct with a share of %s', (name, verdict, want) =>
  expect(providerReliability(name, verdict)).toBe(want),
);

test('no host or domain belongs to two providers', () => {
  const { providers } = JSON.parse(
    readFileSync(new URL('../../../src/engine/data/providers.json', import.meta.url), 'utf8'),
  ) as { providers: { name: string; hosts: string[]; domains: string[] }[] };
  for (const list of [
    providers.flatMap(({ hosts }) => hosts),
    providers.flatMap(({ domains }) => domains),
    providers.map(({ name }) => name),
  ]) {
    expect(list.filter((entry, index) => list.indexOf(entry) !== index)).toEqual([]);
  }
});
