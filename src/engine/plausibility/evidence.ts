import { lastRead } from './features.js';
import { coverageNotes } from './ngrams.js';

/** How many numbers sum up a local part. */
export const evidenceSize = 23;

/** Of these, so many first ones are sums of weights; the others count letters, digits and words. */
export const weightSums = 8;

/**
 * What the features of the local part read last say, kind by kind: its short and its long n-grams, the stretch of it that speaks most
 * against a person and the one that speaks most for one, its words, its pattern, what is remarkable about its letters and its
 * digits; then how many letters and digits it has, how many letters are covered by what is known, how often digits and others
 * take turns, how many words there are, and how many characters that people do not use; then how it reads with letters for its
 * digits, and without its separators; then how long a number beside a name is, and how many letters in a row are part of nothing
 * known. A sum alone would let a known name make up for any random text beside it.
 */
export function readEvidence(told: Int32Array, count: number, evidence: Float64Array): void {
  const { grams, words, patterns, letters } = lastRead;
  const coverage = grams - coverageNotes;
  let low = 0;
  let high = 0;
  let lowest = 0;
  let highest = 0;
  for (let at = 0; at < coverage; at++) {
    const weight = told[at] as number;
    low = (low & (low >> 31)) + weight;
    high = (high & ~(high >> 31)) + weight;
    lowest += (low - lowest) & ((low - lowest) >> 31);
    highest += (high - highest) & ~((high - highest) >> 31);
  }
  evidence[0] = lastRead.short;
  evidence[1] = lastRead.long;
  evidence[2] = lowest;
  evidence[3] = highest;
  evidence[4] = sum(told, coverage, words);
  evidence[5] = sum(told, words, patterns);
  evidence[6] = sum(told, patterns, letters);
  evidence[7] = sum(told, letters, count);
  evidence[8] = lastRead.letterCount;
  evidence[9] = lastRead.digitCount;
  evidence[10] = lastRead.uncovered;
  evidence[11] = lastRead.strange;
  evidence[12] = lastRead.whole;
  evidence[13] = lastRead.turns;
  evidence[14] = lastRead.wordCount;
  evidence[15] = Math.min(32, lastRead.oddCount * 8);
  evidence[16] = lastRead.asLetters / 42;
  evidence[17] = lastRead.strangeAsLetters;
  evidence[18] = lastRead.rejoined;
  evidence[19] = lastRead.shortWords * 2;
  evidence[20] = lastRead.inner * 4;
  evidence[21] = lastRead.longNumber;
  evidence[22] = lastRead.alien * 2;
}

function sum(told: Int32Array, start: number, end: number): number {
  let total = 0;
  for (let at = start; at < end; at++) total += told[at] as number;
  return total;
}

/** How many units the network has. */
export const unitCount = 8;
export const networkSize = (evidenceSize + 1) * (unitCount + 1) + unitCount;

/**
 * The log-odds that evidence stands for, by a small network: a row with a number alone for the sum and for each unit, a row with
 * their weights for each number of evidence, and a row with how loud each unit is. Eight units in eight variables: in a loop over
 * them it takes twice as long.
 */
export function logOddsOf(evidence: Float64Array, network: Float64Array): number {
  let logOdds = network[0] as number;
  let one = network[1] as number;
  let two = network[2] as number;
  let three = network[3] as number;
  let four = network[4] as number;
  let five = network[5] as number;
  let six = network[6] as number;
  let seven = network[7] as number;
  let eight = network[8] as number;
  let row = 0;
  for (let input = 0; input < evidenceSize; input++) {
    const told = evidence[input] as number;
    row += unitCount + 1;
    // Most names have no digit, and many nothing else that some of the evidence counts.
    if (told === 0) continue;
    logOdds += (network[row] as number) * told;
    one += (network[row + 1] as number) * told;
    two += (network[row + 2] as number) * told;
    three += (network[row + 3] as number) * told;
    four += (network[row + 4] as number) * told;
    five += (network[row + 5] as number) * told;
    six += (network[row + 6] as number) * told;
    seven += (network[row + 7] as number) * told;
    eight += (network[row + 8] as number) * told;
  }
  row += unitCount + 1;
  if (one > 0) logOdds += (network[row] as number) * one;
  if (two > 0) logOdds += (network[row + 1] as number) * two;
  if (three > 0) logOdds += (network[row + 2] as number) * three;
  if (four > 0) logOdds += (network[row + 3] as number) * four;
  if (five > 0) logOdds += (network[row + 4] as number) * five;
  if (six > 0) logOdds += (network[row + 5] as number) * six;
  if (seven > 0) logOdds += (network[row + 6] as number) * seven;
  if (eight > 0) logOdds += (network[row + 7] as number) * eight;
  return logOdds;
}

/**
 * What is added to the log-odds of the local part read last. Of names with a letter behind a digit, of days and of account numbers, programs
 * make so many that a score which is right on the whole takes one person in eight for a program: whoever has one is believed rather.
 */
export function liftForDigits(): number {
  const { inner, digitCount, longNumber } = lastRead;
  return inner > 0 || (digitCount > 4 && longNumber === 0) ? 0.6 : 0;
}
