import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/async/clock.js';
import { lexiconSize, lineCount, tableSize } from '../../../src/engine/plausibility/features.js';
import { openPlausibility, plausibility } from '../../../src/engine/plausibility/plausibility.js';
import { addressOf } from '../../fakes/evidence.js';

const people: Record<string, string> = {
  English:
    'jane.doe j.smith jsmith84 dave+shop thebigcheese coffee_lover rockstar99 olivia.oconnor bob mary-ann.taylor',
  Irish: "pat.o'brien m.o'sullivan",
  German: 'mueller dr.schmidt kundenservice hans-peter.schroeder j.weiß buchhaltung',
  Dutch: 'm.van.der.berg femke.dejong',
  Nordic: 'bjork bjørn.østergård sigurdur.jonsson maja.lindqvist hrafnhildur',
  Finnish: 'virtanen juha.hamalainen paivi.makinen',
  Polish: 'szczepan.brzeczyszczykiewicz krzysztof grzegorz.wisniewski malgorzata',
  'South Slavic': 'hrvoje vlkava.krstic nemanja.djordjevic',
  Russian: 'иван.петров yevgeny.shcherbakov ivanov1985',
  Hungarian: 'gyorgy.szekely zsofia.nagy',
  Romance: 'giovanni.ricci joão.silva xavier.quintanilla jean-luc.lefebvre',
  Greek: 'μαρια papadopoulos.g giorgos.tsipras',
  Turkish: 'ozgur.yilmaz çağlar.öztürk gulsen',
  'Central Asian': 'zuxra ibrohimov nursultan.abdrakhmanov aigerim bekzod.yuldashev',
  Georgian: 'mkheidze.giorgi tskhovrebadze kvaratskhelia',
  Armenian: 'mkrtchyan hripsime.hovhannisyan',
  Arabic: 'ahmad.alharbi mhmd.ali محمد abdulrahman.qahtani',
  Persian: 'mohammadreza.hosseini shahrzad',
  Hebrew: 'yitzhak.mizrahi noa.bendavid',
  Indian: 'संपर्क venkataraman.subramanian priya.sharma harpreet.dhaliwal mukherjee.s',
  Chinese: 'xiaoming.wang li.wei88 yi.zhang 李明 ng zhuge.xq ouyang',
  Japanese: 'k.tanaka 田中 kobayashi.ryosuke',
  Korean: '김철수 minjun.kim jeonghyeon',
  Vietnamese: 'nguyenvana nguyen.thi.hoa ngoc phuong.tran hoangnv anhnt tqminh',
  'Southeast Asian': 'simanjuntak.budi dwiputra nurulhidayah nurhaliza sok.chanthou kyawthu somchai.srisai',
  African:
    'olaoluwa oluwadamilare rakotoarisoa chukwuemeka.okonkwo nkosinathi.ngcobo mthunzi.dlamini tshepiso wanjiku.k hailemariam',
  Polynesian: 'kealoha tuipulotu.s wiremu',
  Celtic: 'llywelyn.gruffydd siobhan.nighallchoir eoghan',
  Albanian: 'xhevdet.krasniqi gjergj.hoxha',
  'short and numbered': 'o.o jd e1234567 s1234567 u0012345 ab12345 cs18b042 info mk tj42',
  'initials with a surname': 'hgarcia mmueller tkorhonen jrthompson pdsilva snakamura',
  'a surname with initials': 'kowalskim lindqvistb mullerj nguyenth',
  'cut to six or eight letters': 'thompsoj fitzgera schneid papadopo vandermj brzeczyk',
  'initials alone': 'jrw akb mtk pjh42 dls07',
  'nicknames and handles': 'pixelfox n1ghtowl m4ria al3x s4ndr0 c0d3m4st3r tomtom bobbie linuxguy mrcoffee devdad',
  'names with a number': 'lena1987 tom_84 sofia2 garcia77 jdoe1984 lin3.zhao oscar71bell b7.mehta',
  'names with a day of birth': 'hoa.tran170588 minjun910226 alex250794 maria.silva19850412 tom12031977',
  'teams and projects': 'build-team opendata weblabs nightly-builds docs-team',
};

const machines: Record<string, string> = {
  'random letters and digits': 'xk7qz9vv fj39dk20sl a1b2c3d4e5f6 q8w7e6r5t4 zt3n8vq1xk0p',
  'random letters': 'wqkjxzvb bcdfghjk qzxwvkjt hgfxkqpw',
  keyboard: 'asdfghjkl qwerty123456 zxcvbnm jkfdlsajkl asdfasdf qazwsxedc lkjhgfdsa',
  hashes: '8f14e45fceea167a user_8f3a2c91d4 d41d8cd98f00b204e9800998ecf8427e bounce-7c9e6679f3',
  uuid: '550e8400-e29b-41d4-a716-446655440000 7c9e6679-7425 e29b-41d4-a716',
  'held keys and throw-aways': 'aaaaaaa xxxxxxxx test123456 asdf1234 abababab',
  'digits alone': '4444 5555555 12345678 987654321 121212 7777 112233',
  'an address within': 'bounce-debian-user=jane=corp.com srs0=ab1c=2x=corp.com=jane sentto-4711-anna=firm.de',
  'keys and digits': 'hg7890 qwertyui qwe123 sdf4567 poiuyt',
  'dots strewn in a name': 'j.o.hns.mi.th m.ar.i.agar.c.ia c.h.r.i.s.t.o.p.h.e.r',
  times: 'test1612345678901 user_20240131123000 1712345678901 signup1700000000',
  'a name with a long number': 'petrov48590544 garcia93847261 lena.fischer70418263 mullerj8205917364',
  'a word with a token': 'reddit.79sxc shop-x7k2q paypal.q8zrt',
  'syllables with a number': 'zutaya55281 dukoxe7720 vabiqo3948',
  'again and again': 'xyzxyzxyz bkbkbkbk kqpkqp aabbccdd',
  'counted users': 'testuser0042 user00844 customer.000478 tester_89155',
  'erased accounts': 'deleted-user-48213 anon_3f9a2c81 gdpr-erased-20240131',
  'a token behind a plus':
    'post+97801774.4c88037461 reply+aab3k7qz9vv2m ci+1699999999-x7f3 jane.doe+xk7qz9vv4t bounces+52079-d7d2-jane=corp.com',
};

/** What people write after a plus. */
const ordinaryTags =
  'news github2024 amazon.de 2024 1 4711 spam test1 paypal-old shop+2025 kundenkonto ebay.co.uk 2024-05-01';

const rows = (table: Record<string, string>) =>
  Object.entries(table).flatMap(([kind, names]) => names.split(' ').map((localPart) => ({ kind, localPart })));

test.each(rows(people))('$kind: $localPart is plausible', ({ localPart }) => {
  expect(plausibility(localPart)).toBeGreaterThanOrEqual(0.5);
});

test.each(rows(machines))('$kind: $localPart is not plausible', ({ localPart }) => {
  expect(plausibility(localPart)).toBeLessThan(0.5);
});

describe('plausibility', () => {
  test('is a number from 0 to 1 for any text, and the same each time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        const score = plausibility(text);
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
        expect(plausibility(text)).toBe(score);
      }),
    );
  });

  test.each([
    { name: 'case', one: 'Jane.Doe', other: 'jane.doe' },
    { name: 'diacritics', one: 'jürgen.müller', other: 'jurgen.muller' },
    { name: 'the encoding of diacritics', one: 'jose\u0301', other: 'jos\u00e9' },
    { name: 'the kind of separator', one: 'jane_doe', other: 'jane.doe' },
    { name: 'the kind of digits', one: 'jane37', other: 'jane42' },
  ])('ignores $name', ({ one, other }) => expect(plausibility(one)).toBe(plausibility(other)));

  test.each(ordinaryTags.split(' '))('scores ada+%s as it scores ada', (tag) => {
    expect(plausibility(`ada+${tag}`)).toBeGreaterThan(plausibility('ada') - 0.03);
  });

  test('has one weight for every feature', () => {
    const bytes = readFileSync(new URL('../../../src/engine/data/plausibility.bin', import.meta.url));
    expect(bytes.length).toBe(32 + 16 * lineCount + tableSize + lexiconSize);
  });

  test('as a checker, names its model and ignores quotes', () => {
    const check = openPlausibility();
    const { score, model } = check(addressOf('"jane.doe"@corp.com'));
    expect(score).toBe(plausibility('jane.doe'));
    expect(model).toMatch(/^mailvet-plausibility\/\d+$/);
  });

  test('reads a number up to the current year as a year of birth', () => {
    const scoreIn = (year: number, localPart: string) =>
      openPlausibility({ ...systemClock, now: () => Date.UTC(year, 6) })(addressOf(`${localPart}@corp.com`)).score;
    expect(scoreIn(2031, 'lena2031')).toBe(scoreIn(2031, 'lena2018'));
    expect(scoreIn(2030, 'lena2031')).not.toBe(scoreIn(2030, 'lena2018'));
  });
});
