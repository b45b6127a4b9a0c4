import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createLists } from '../../../src/engine/lists/lists.js';
import { parseUserList } from '../../../src/engine/lists/user-lists.js';
import { noListFacts } from '../../fakes/evidence.js';
import { anAddress } from '../an-address.js';

const lists = createLists();
const nothing = noListFacts;

describe('check', () => {
  test.each([
    ['jane@acme.co', {}],
    ['jane@gmail.com', { free: true }],
    ['jane@mailinator.com', { disposable: 'mailinator.com' }],
    ['jane@deep.beneath.mailinator.com', { disposable: 'mailinator.com' }],
    ['jane@10minutemail.com', { disposable: '10minutemail.com' }],
    ['jane@guerrillamail.com', { disposable: 'guerrillamail.com' }],
    ['jane@yopmail.com', { disposable: 'yopmail.com' }],
    ['jane@notmailinator.com.acme.co', {}],
    ['info@acme.co', { role: 'info' }],
    ['hello@acme.co', { possibleRole: 'hello' }],
    ['me@acme.co', { possibleRole: 'me' }],
    ['jane@nas.lan', { unknownTld: true }],
    ['jane@box.localdomain', { unknownTld: true }],
    ['jane@debian.org', {}],
    ['jane@acm.org', {}],
    // A community host.
    ['jane@ssh.in-ulm.de', {}],
    ['info+x@gmail.com', { role: 'info', free: true }],
    ['Jane.Doe+shop@gmial.co', {}],
    ['Jane.Doe+shop@gnail.com', { didYouMean: 'Jane.Doe+shop@gmail.com' }],
    ['jane@acme.test', { reserved: 'test' }],
    ['jane@test', { reserved: 'test' }],
    ['jane@test.com.acme.co', {}],
    ['jane@example.com', { reserved: 'example.com' }],
    ['jane@mail.example.org', { reserved: 'example.org' }],
    ['jane@myexample.com', {}],
    ['jane@printer.local', { reserved: 'local' }],
    ['jane@localhost.localhost', { reserved: 'localhost' }],
    ['jane@acme.invalid', { reserved: 'invalid' }],
    ['jane@acme.example', { reserved: 'example' }],
    ['jane@abc.onion', { reserved: 'onion' }],
    ['jane@router.home.arpa', { reserved: 'arpa' }],
    ['jane@1.0.0.10.in-addr.arpa', { reserved: 'arpa' }],
    ['jane@acme.internal', { reserved: 'internal' }],
    ['jane@acme.alt', { reserved: 'alt' }],
  ])('%s', (address, want) => expect(lists.check(anAddress(address))).toEqual({ ...nothing, ...want }));

  test('an address literal has no name to look up', () => {
    const literal = anAddress('info@[127.0.0.1]', { literal: { family: 4, ip: '127.0.0.1' } });
    expect(lists.check(literal)).toEqual({ ...nothing, role: 'info' });
  });

  test('each answer is a new object', () => {
    lists.check(anAddress('a@acme.co')).disposable = 'changed';
    expect(lists.check(anAddress('a@acme.co')).disposable).toBeNull();
  });
});

test.each([
  ['mail.mailinator.com', 'mailinator.com'],
  ['mailinator.com', 'mailinator.com'],
  ['aspmx.l.google.com', null],
  ['acme.mail.protection.outlook.com', null],
  ['mx1.improvmx.com', null],
  ['inbound-smtp.us-east-1.amazonaws.com', null],
  ['route1.mx.cloudflare.net', null],
  // The mail server of a misspelled provider name.
  ['mx.gmial.com', null],
])('a mail server: %s → %s', (host, want) => expect(lists.disposableHost(host)?.name ?? null).toBe(want));

describe("the user's own lists", () => {
  const userLists = createLists({
    allow: parseUserList('mailinator.com\ninfo@acme.co\ngnail.com\nlab.test\nbad.allowed.co', 'allow.txt'),
    deny: parseUserList('bad.co\ngmail.com\nallowed.co\njane@acme.co', 'deny.txt'),
  });
  test.each([
    ['an allowed domain is not disposable', 'jane@mailinator.com', {}],
    ['an allowed address is still a role', 'info@acme.co', { role: 'info' }],
    ['other roles stay', 'sales@acme.co', { role: 'sales' }],
    ['an allowed domain may still be a slip', 'jane@gnail.com', { didYouMean: 'jane@gmail.com' }],
    ['an allowed domain is still reserved', 'jane@lab.test', { reserved: 'test' }],
    ['its neighbors are', 'jane@lib.test', { reserved: 'test' }],
    ['a denied domain counts as disposable', 'jane@mail.bad.co', { disposable: 'bad.co' }],
    ['even a large provider', 'jane@gmail.com', { disposable: 'gmail.com', free: true }],
    ['a denied address', 'jane@acme.co', { disposable: 'jane@acme.co' }],
    ['allow wins', 'jane@bad.allowed.co', {}],
  ])('%s', (_, address, want) => expect(userLists.check(anAddress(address))).toEqual({ ...nothing, ...want }));

  test('they apply to mail servers', () => {
    expect(userLists.disposableHost('mx.bad.co')).toEqual({ name: 'bad.co', domains: null });
    expect(userLists.disposableHost('mx.mailinator.com')).toBeNull();
    expect(userLists.isAllowed(anAddress('a@mailinator.com'))).toBe(true);
    expect(userLists.isAllowed(anAddress('a@bad.co'))).toBe(false);
    expect(lists.isAllowed(anAddress('a@mailinator.com'))).toBe(false);
  });
});

/** Names of one label under many suffixes, such as `yahoo.fr`. */
const forms = (label: string, endings: string) => endings.split(' ').map((ending) => `${label}.${ending}`);
const words = (text: string) => text.trim().split(/\s+/);

test.each([
  ...forms('yahoo', 'com co.uk fr de it es ca in co.in com.br com.ar com.mx com.au co.jp com.hk com.sg com.ph com.vn'),
  ...forms('hotmail', 'com co.uk fr de it es be nl se'),
  ...forms('outlook', 'com fr de it es jp com.br'),
  ...forms('live', 'com co.uk fr de nl'),
  ...words(`gmail.com googlemail.com gmx.de gmx.net gmx.at gmx.ch web.de mail.ru bk.ru yandex.ru yandex.com zoho.com
      proton.me protonmail.com pm.me icloud.com me.com mac.com aol.com qq.com 163.com 126.com sina.com naver.com daum.net
      hey.com tutanota.com tuta.io fastmail.com fastmail.fm posteo.de mailbox.org msn.com mail.com email.com hushmail.com
      t-online.de freenet.de orange.fr free.fr laposte.net wanadoo.fr libero.it virgilio.it comcast.net verizon.net att.net
      cox.net charter.net btinternet.com sky.com virginmedia.com shaw.ca rogers.com bigpond.com uol.com.br terra.com.br
      wp.pl onet.pl o2.pl seznam.cz rediffmail.com 21cn.com sify.com vfemail.net safe-mail.net cock.li riseup.net`),
  ...words(`duck.com mozmail.com simplelogin.com simplelogin.co aleeas.com slmail.me privaterelay.appleid.com anonaddy.com
      anonaddy.me addy.io passmail.net 33mail.com sneakemail.com`),
  ...words(`mit.edu stanford.edu harvard.edu news.uhd.edu nus.edu.sg ox.ac.uk cam.ac.uk ethz.ch tum.de uw.edu.pl agh.edu.pl
      unimelb.edu.au u-tokyo.ac.jp tsinghua.edu.cn iitb.ac.in news.hackney.gov.uk nasa.gov gov.uk service.gov.uk army.mil
      who.int europa.eu gouv.fr bund.de`),
  ...words(`github.com google.com microsoft.com apple.com amazon.com amazonaws.com googlegroups.com sap.com siemens.com
      bbc.co.uk github.io herokuapp.com web.id my.id eu.org duckdns.org us.kg co.uk com.br`),
])('never disposable: %s', (domain) => expect(lists.check(anAddress(`jane@${domain}`)).disposable).toBeNull());

test.each([
  { email: 'a.b@duck.com', isRelay: true },
  { email: 'x@jane.anonaddy.com', isRelay: true },
  { email: 'x@privaterelay.appleid.com', isRelay: true },
  { email: 'x@gmail.com', isRelay: false },
  { email: 'x@notduck.com', isRelay: false },
  { email: 'x@[192.0.2.1]', isRelay: false },
])('$email is a relay address: $isRelay', ({ email, isRelay }) => {
  expect(lists.check(anAddress(email)).relay).toBe(isRelay);
});

describe('the data files', () => {
  const text = (file: string) => readFileSync(new URL(`../../../src/engine/data/${file}`, import.meta.url), 'utf8');
  test.each(['disposable.txt', 'free.txt', 'roles.txt', 'public-suffixes.txt', 'tlds.txt'])(
    '%s is lower-case ASCII, sorted by byte, without repeats',
    (file) => {
      const lines = text(file).slice(0, -1).split('\n');
      expect(text(file).endsWith('\n')).toBe(true);
      expect(lines.filter((line) => !/^[!*a-z0-9.-]+$/.test(line))).toEqual([]);
      expect(lines.filter((line, index) => index > 0 && line <= (lines[index - 1] ?? ''))).toEqual([]);
    },
  );

  test('no common provider is disposable, except for the known disposable ones', async () => {
    const { default: common } = await import('email-providers/common.json', { with: { type: 'json' } });
    const flagged = common.filter((domain: string) => lists.check(anAddress(`a@${domain}`)).disposable !== null);
    expect(flagged.sort()).toEqual(
      words(`10minutemail.com bugmenot.com chacuo.net cu.cc emailondeck.com guerrillamail.com mail-tester.com
        mailinator.com pe.hu privacy.net temp-mail.org yopmail.com yourdomain.com`),
    );
  });
});
