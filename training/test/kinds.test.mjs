import { expect, test } from 'vitest';
import { allNames, machineSamples, peopleSamples, rareShapeSamples } from '../fit/samples.mjs';
import { tagSamples } from '../fit/tag-samples.mjs';
import { tuningMailboxes } from '../machines/service-mailboxes.mjs';
import { previouslyTestedKinds, trainingKinds } from '../machines/training-kinds.mjs';
import { tuningKinds } from '../machines/tuning-kinds.mjs';
import { seededRandom } from '../random.mjs';
import { smallCorpora } from './small-corpora.mjs';

const corpora = smallCorpora();
const names = allNames(corpora.names).filter((name) => name.length >= 5);
const { generators, again } = trainingKinds(seededRandom(11), corpora);
const kinds = Object.entries({ ...generators, ...previouslyTestedKinds, ...tuningKinds, ...tuningMailboxes });

test.each(kinds)('%s: makes varied local parts', (_kind, make) => {
  const random = seededRandom(5);
  const texts = Array.from({ length: 50 }, () => make(random, random.pick(names)));
  for (const text of texts) expect(text).toMatch(/^[^\s@"(),:;<>[\\\]]{2,160}$/u);
  expect(new Set(texts).size).toBeGreaterThan(10);
});

test('kinds with more shares exist', () => {
  expect(again.filter((kind) => !(kind in generators))).toEqual([]);
});

test('no kind is for training and for tuning', () => {
  const tuning = Object.keys({ ...tuningKinds, ...tuningMailboxes });
  expect(tuning.filter((kind) => kind in generators)).toEqual([]);
});

test('kinds of earlier tests can be held out', () => {
  const { generators: others } = trainingKinds(seededRandom(11), corpora, false);
  expect(Object.keys(previouslyTestedKinds).filter((kind) => kind in others)).toEqual([]);
  expect(Object.keys(others).length).toBeGreaterThan(50);
});

test('samples are repeatable and labeled', () => {
  const make = () => {
    const random = seededRandom(3);
    return [
      ...peopleSamples(random, corpora, 200),
      ...rareShapeSamples(random, corpora, 200),
      ...machineSamples(random, { generators, again }, corpora.names, 200),
    ];
  };
  expect(make()).toEqual(make());
  expect(make().map(({ label }) => label)).toEqual([...Array(400).fill(1), ...Array(200).fill(0)]);
});

test('tags have as many samples of people as of programs', () => {
  const accounts = [{ account: 'jane' }, { account: 'jdoe' }];
  const tags = tagSamples(seededRandom(4), { accounts, names, words: corpora.words }, 100);
  expect(tags.filter(({ label }) => label === 1)).toHaveLength(100);
  expect(tags.filter(({ label }) => label === 0)).toHaveLength(100);
  expect(tags.filter(({ text }) => text === '')).toEqual([]);
});
