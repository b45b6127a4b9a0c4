import { statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { accountOf, hashOrderedSample, readAccounts } from './accounts.mjs';
import { allNames, ownCorpora } from './corpora.mjs';
import { areaUnderCurve, calibrationError } from './evaluate.mjs';
import { buildLexicon, encodeModel, fitModel, rawScore } from './fit.mjs';
import { machineKinds } from './machines.mjs';
import { peopleGenerator, tagGenerator } from './people.mjs';
import { seededRandom, shuffled } from './random.mjs';

const corpora = ownCorpora();

describe('accounts', () => {
  test.each([
    ['Jane Doe <Jane.Doe+list@corp.com>', 'jane.doe'],
    ['"Jane" <_jd_@corp.com>', 'jd'],
    ['Jane <noreply@corp.com>', null],
    ['Jane <jane@example.com>', null],
    ['Jane <jane@localhost>', null],
    ['<jane@corp.com>', null],
    ['no address', null],
  ])('the account in %s is %s', (text, account) => expect(accountOf(text)).toBe(account));

  test('a sample depends on the names, not on their order', () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    expect(hashOrderedSample(names, 3)).toEqual(hashOrderedSample([...names].reverse(), 3));
  });

  test('a missing source is an error', () => {
    expect(() => readAccounts(import.meta.dirname)).toThrow(/is missing/);
    expect(() => readAccounts(undefined)).toThrow(/Set ACCOUNTS/);
  });
});

describe('generators', () => {
  const kinds = machineKinds(seededRandom(11), corpora);

  test('there are fifteen kinds', () => expect(Object.keys(kinds)).toHaveLength(15));

  test.each(Object.entries(kinds))('%s: makes varied local parts', (_kind, { make }) => {
    const random = seededRandom(5);
    const texts = Array.from({ length: 200 }, () => make(random));
    for (const text of texts) expect(text).toMatch(/^[^\s@"(),:;<>[\\\]]{1,160}$/u);
    expect(new Set(texts).size).toBeGreaterThan(100);
  });

  test('people and tags are varied and repeatable', () => {
    const make = () => {
      const random = seededRandom(3);
      const makers = [peopleGenerator(random, corpora), tagGenerator(random, corpora, [{ account: 'jane' }])];
      return makers.map((next) => Array.from({ length: 300 }, next));
    };
    expect(make()).toEqual(make());
    for (const texts of make()) {
      expect(texts.filter((text) => !/^[^\s@]+$/.test(text))).toEqual([]);
      expect(new Set(texts).size).toBeGreaterThan(100);
    }
  });

  test('shuffling keeps all elements and leaves the list alone', () => {
    const list = [...'abcdefgh'];
    expect(shuffled(seededRandom(1), list).sort()).toEqual(list);
    expect(list.join('')).toBe('abcdefgh');
  });
});

describe('a small model', () => {
  const sizes = { samplesPerLabel: 6_000, epochs: 1, wordsPerLanguage: 200, calibration: 600 };
  /** Accounts such as `jane.doe` and `jdoe`. */
  const accountsOf = (seed, count) => {
    const random = seededRandom(seed);
    const names = allNames(corpora);
    return Array.from({ length: count }, () => {
      const [first, last] = [random.pick(names), random.pick(names)];
      return { account: random.chance(0.5) ? `${first}.${last}` : first[0] + last };
    });
  };
  const fit = () => fitModel({ training: accountsOf(1, 600), tuning: accountsOf(2, 300) }, corpora, sizes);
  let model;
  beforeAll(() => {
    model = fit();
  });

  test('the same seed and corpora give the same bytes', () =>
    expect(encodeModel(fit()).equals(encodeModel(model))).toBe(true));

  test('its file has the size and the name of the one that the program reads', () => {
    const shipped = join(import.meta.dirname, '../src/engine/data/plausibility.bin');
    expect(encodeModel(model).length).toBe(statSync(shipped).size);
    expect(encodeModel(model).toString('latin1', 0, 32).trimEnd()).toMatch(/^mailvet-plausibility\/\d+$/);
  });

  test('ranks unseen people above machine-made names', () => {
    const random = seededRandom(7);
    const kinds = Object.values(machineKinds(random, corpora));
    const samples = [
      ...accountsOf(3, 300).map(({ account }) => ({ text: account, label: 1 })),
      ...Array.from({ length: 300 }, () => ({ text: random.pick(kinds).make(random), label: 0 })),
    ];
    const scored = samples.map((sample) => ({ ...sample, probability: rawScore(model, sample).raw }));
    expect(areaUnderCurve(scored)).toBeGreaterThan(0.9);
  });

  test('probabilities rise with the score', () => {
    for (let line = 0; line < 4; line++) expect(model.lines[2 * line]).toBeGreaterThan(0);
  });

  test('the lexicon has what at least three names share', () => {
    const empty = { names: [], towns: [], words: [], natives: [] };
    const sizeWith = (count) =>
      buildLexicon(seededRandom(1), Array(count).fill({ account: 'margaret' }), empty, 1).known.size;
    expect(sizeWith(2)).toBe(0);
    expect(sizeWith(3)).toBeGreaterThan(0);
  });
});

describe('evaluation', () => {
  const samples = (...pairs) => pairs.map(([label, probability]) => ({ label, probability }));

  test.each([
    ['all people above', samples([1, 0.9], [1, 0.8], [0, 0.2], [0, 0.1]), 1],
    ['all people below', samples([1, 0.1], [0, 0.9]), 0],
    ['ties count half', samples([1, 0.5], [0, 0.5]), 0.5],
    ['one of four pairs in the wrong order', samples([1, 0.9], [1, 0.3], [0, 0.4], [0, 0.1]), 0.75],
  ])('area under the curve: %s', (_name, scored, area) => expect(areaUnderCurve(scored)).toBeCloseTo(area, 10));

  test('calibration error weights people and machines by the share', () => {
    expect(calibrationError(samples([1, 1], [0, 0]), 0.5)).toBe(0);
    // Both score 0.5, but nine of ten are people.
    expect(calibrationError(samples([1, 0.5], [0, 0.5]), 0.1)).toBeCloseTo(0.4, 10);
  });
});
