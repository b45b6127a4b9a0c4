import { lastSummary } from './features.js';
import { coverageFeatures } from './lexical-features.js';

/** Inputs of the network; the first `weightSumCount` are sums of weights, the others are counts. */
export const inputCount = 23;
export const weightSumCount = 8;

/**
 * Fills the inputs of the network for the local part read last. The sums of weights are split by kind of feature, so that
 * a known name cannot outweigh random text next to it. Inputs 2 and 3 are the minimum and maximum subarray sums of the
 * n-gram weights.
 */
export function readInputs(weights: Int32Array, count: number, inputs: Float64Array): void {
  const { ngramEnd, wordEnd, patternEnd, letterEnd } = lastSummary;
  const coverageStart = ngramEnd - coverageFeatures;
  let low = 0;
  let high = 0;
  let lowest = 0;
  let highest = 0;
  // Kadane's algorithm, without branches.
  for (let index = 0; index < coverageStart; index++) {
    const weight = weights[index] as number;
    low = (low & (low >> 31)) + weight;
    high = (high & ~(high >> 31)) + weight;
    lowest += (low - lowest) & ((low - lowest) >> 31);
    highest += (high - highest) & ~((high - highest) >> 31);
  }
  inputs[0] = lastSummary.trigramSum;
  inputs[1] = lastSummary.lexiconSum;
  inputs[2] = lowest;
  inputs[3] = highest;
  inputs[4] = sum(weights, coverageStart, wordEnd);
  inputs[5] = sum(weights, wordEnd, patternEnd);
  inputs[6] = sum(weights, patternEnd, letterEnd);
  inputs[7] = sum(weights, letterEnd, count);
  inputs[8] = lastSummary.letterCount;
  inputs[9] = lastSummary.digitCount;
  inputs[10] = lastSummary.uncovered;
  inputs[11] = lastSummary.unknown4grams;
  inputs[12] = lastSummary.known6grams;
  inputs[13] = lastSummary.transitions;
  inputs[14] = lastSummary.wordCount;
  inputs[15] = Math.min(32, lastSummary.unusualCount * 8);
  inputs[16] = lastSummary.leetSum / 42;
  inputs[17] = lastSummary.leetUnknown4grams;
  inputs[18] = lastSummary.joined6grams;
  inputs[19] = lastSummary.shortWords * 2;
  inputs[20] = lastSummary.lettersAfterDigits * 4;
  inputs[21] = lastSummary.longNumber;
  inputs[22] = lastSummary.unknownRun * 2;
}

function sum(weights: Int32Array, start: number, end: number): number {
  let total = 0;
  for (let index = start; index < end; index++) total += weights[index] as number;
  return total;
}

/** Hidden units of the network. */
export const hiddenUnits = 8;
export const networkSize = (inputCount + 1) * (hiddenUnits + 1) + hiddenUnits;

/**
 * The logit of the network: one hidden layer of ReLU units, and a direct connection from each input. A row of
 * biases, then a row of weights for each input, then the output weights. Unrolled: a loop over the units takes twice as long.
 */
export function forward(inputs: Float64Array, network: Float64Array): number {
  let logit = network[0] as number;
  let one = network[1] as number;
  let two = network[2] as number;
  let three = network[3] as number;
  let four = network[4] as number;
  let five = network[5] as number;
  let six = network[6] as number;
  let seven = network[7] as number;
  let eight = network[8] as number;
  let row = 0;
  for (let index = 0; index < inputCount; index++) {
    const input = inputs[index] as number;
    row += hiddenUnits + 1;
    // Most names have no digits, so many inputs are zero.
    if (input === 0) continue;
    logit += (network[row] as number) * input;
    one += (network[row + 1] as number) * input;
    two += (network[row + 2] as number) * input;
    three += (network[row + 3] as number) * input;
    four += (network[row + 4] as number) * input;
    five += (network[row + 5] as number) * input;
    six += (network[row + 6] as number) * input;
    seven += (network[row + 7] as number) * input;
    eight += (network[row + 8] as number) * input;
  }
  row += hiddenUnits + 1;
  if (one > 0) logit += (network[row] as number) * one;
  if (two > 0) logit += (network[row + 1] as number) * two;
  if (three > 0) logit += (network[row + 2] as number) * three;
  if (four > 0) logit += (network[row + 3] as number) * four;
  if (five > 0) logit += (network[row + 4] as number) * five;
  if (six > 0) logit += (network[row + 5] as number) * six;
  if (seven > 0) logit += (network[row + 6] as number) * seven;
  if (eight > 0) logit += (network[row + 7] as number) * eight;
  return logit;
}

/**
 * Added to the logit of the local part read last. Programs make so many names with a letter after a digit, dates and account
 * numbers that a calibrated score would reject one person in eight who has one.
 */
export function liftForDigits(): number {
  const { lettersAfterDigits, digitCount, longNumber } = lastSummary;
  return lettersAfterDigits > 0 || (digitCount > 4 && longNumber === 0) ? 0.6 : 0;
}
