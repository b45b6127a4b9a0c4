import { statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { areaUnderCurve } from '../evaluation/report.mjs';
import { fitModel } from '../fit/fit-model.mjs';
import { buildLexicon } from '../fit/lexicon.mjs';
import { encodeModel } from '../fit/model-file.mjs';
import { machineSamples } from '../fit/samples.mjs';
import { rawScore } from '../fit/weights.mjs';
import { trainingKinds } from '../machines/training-kinds.mjs';
import { tuningKinds } from '../machines/tuning-kinds.mjs';
import { seededRandom } from '../random.mjs';
import { smallCorpora } from './small-corpora.mjs';

const corpora = smallCorpora();
const sizes = {
  samplesPerLabel: 4_000,
  epochs: 1,
  wordsPerDictionary: 200,
  networkMachines: 600,
  calibrationMachines: 600,
  tagsPerLabel: 300,
  networkEpochs: 4,
  restarts: 1,
};

/** Accounts of the form `jane.doe` and `jdoe`. */
function accountsOf(seed, count) {
  const random = seededRandom(seed);
  const names = Object.values(corpora.names.own).flatMap(({ given }) => given);
  return Array.from({ length: count }, () => {
    const [first, last] = [random.pick(names), random.pick(names)];
    return { account: random.chance(0.5) ? `${first}.${last}` : first[0] + last, shape: '', languages: [] };
  });
}

const fit = () => {
  const random = seededRandom(11);
  const accounts = { training: accountsOf(1, 600), tuning: accountsOf(2, 300) };
  return fitModel(random, accounts, corpora, trainingKinds(random, corpora), sizes);
};

describe('a small model', () => {
  let model;
  beforeAll(() => {
    model = fit();
  });

  test('the same seed and corpora give the same bytes', () => {
    expect(encodeModel(fit()).equals(encodeModel(model))).toBe(true);
  });

  test('its file has the size and the name of the one that the program reads', () => {
    const shipped = join(import.meta.dirname, '../../src/engine/data/plausibility.bin');
    expect(encodeModel(model).length).toBe(statSync(shipped).size);
    expect(encodeModel(model).toString('latin1', 0, 32).trimEnd()).toMatch(/^mailvet-plausibility\/\d+$/);
  });

  test('ranks unseen people above unseen kinds of machine-made names', () => {
    const machines = machineSamples(seededRandom(7), { generators: tuningKinds }, corpora.names, 300);
    const samples = [...accountsOf(3, 300).map(({ account }) => ({ text: account, label: 1 })), ...machines];
    const scored = samples.map(({ text, label }) => ({ label, probability: rawScore(model, text.toLowerCase()).raw }));
    expect(areaUnderCurve(scored)).toBeGreaterThan(0.9);
  });

  test('calibration lines rise with the score', () => {
    for (const { slope } of model.lines) expect(slope).toBeGreaterThan(0);
  });
});

test('the lexicon knows what at least three names share, and leaves out one text for training', () => {
  const texts = (...list) => list.map((text) => ({ text, parts: 1, whole: 1 }));
  const used = (fingerprints) => fingerprints.filter((fingerprint) => fingerprint !== 0).length;
  expect(used(buildLexicon(texts('margaret', 'margaret')).fingerprints)).toBe(0);
  const three = buildLexicon(texts('margaret', 'margaret', 'margaret'));
  expect(used(three.fingerprints)).toBeGreaterThan(0);
  expect(used(three.leaveOneOutFingerprints)).toBe(0);
  expect(used(buildLexicon(texts(...Array(4).fill('margaret'))).leaveOneOutFingerprints)).toBeGreaterThan(0);
});
