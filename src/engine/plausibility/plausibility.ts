import { type Clock, systemClock } from '../../async/clock.js';
import { readSizedDataFile } from '../../disk/bundled-file.js';
import type { Address } from '../../model/address.js';
import type { PlausibilityEvidence } from '../../model/evidence.js';
import { dataPath } from '../data-file.js';
import { type FeatureTable, lexiconOffset, lexiconSize } from './feature-table.js';
import { lastSummary, lengthBucketCount, maxFeatures, readFeatures } from './features.js';
import { forward, inputCount, liftForDigits, networkSize, readInputs } from './network.js';

/** The trained model: feature weights, a network over their sums, and a calibration (Platt scaling) per length bucket. */
interface Model {
  name: string;
  table: FeatureTable;
  network: Float64Array;
  /** The network for tags. */
  tagNetwork: Float64Array;
  scales: Float64Array;
  biases: Float64Array;
}

/** Reused, since scoring is synchronous. */
const inputs = new Float64Array(inputCount);
const weights = new Int32Array(maxFeatures);
let loaded: Model | undefined;

/** The probability (0..1) that a local part is a person's or a team's mailbox, by the bundled model; works offline. */
export function plausibility(localPart: string): number {
  loaded ??= loadModel();
  return scoreOf(loaded, localPart, systemClock);
}

/** The model as a checker of the engine; loaded on first use. */
export function openPlausibility(clock: Clock = systemClock): (address: Address) => PlausibilityEvidence {
  return ({ localPart }) => {
    loaded ??= loadModel();
    return { score: scoreOf(loaded, unquote(localPart), clock), model: loaded.name };
  };
}

/** Rounded to thousandths, so that differences between two machines' `exp` do not show. */
function scoreOf(model: Model, localPart: string, clock: Clock): number {
  const { table, network, scales, biases } = model;
  readInputs(weights, readFeatures(localPart, table, weights, clock), inputs);
  const bucket = lastSummary.lengthBucket;
  const rawLogit = forward(inputs, network);
  const logit = rawLogit * (scales[bucket] as number) + (biases[bucket] as number) + liftForDigits();
  const tagStart = localPart.indexOf('+', 1) + 1;
  const tagScore = tagStart === 0 ? 1 : tagProbability(model, localPart.slice(tagStart), clock);
  return Math.round((1000 * tagScore) / (1 + Math.exp(-logit))) / 1000;
}

/** The probability that a person wrote the tag. It is read like a name, and another plus in it like a dot. */
function tagProbability({ table, tagNetwork }: Model, tag: string, clock: Clock): number {
  readInputs(weights, readFeatures(tag.replaceAll('+', '.'), table, weights, clock), inputs);
  return 1 / (1 + Math.exp(-forward(inputs, tagNetwork)));
}

const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** Bytes of the model's name, padded with spaces. */
const nameSize = 32;

/**
 * The file contains the name; then doubles: the number of features, both networks, the scales and biases; then one-byte
 * weights, and the two-byte entries of the lexicon. All little-endian, and used in place.
 */
function loadModel(): Model {
  const doubles = 1 + 2 * networkSize + 2 * lengthBucketCount;
  const weightsStart = nameSize + 8 * doubles;
  const lexiconStart = weightsStart + lexiconOffset;
  const file = readSizedDataFile(dataPath('plausibility.bin'), lexiconStart + 2 * lexiconSize);
  if (!isLittleEndian) {
    Buffer.from(file, nameSize, 8 * doubles).swap64();
    Buffer.from(file, lexiconStart).swap16();
  }
  const doublesAt = (start: number, count: number) => new Float64Array(file, nameSize + 8 * start, count);
  return {
    name: Reflect.apply(String.fromCharCode, null, new Uint8Array(file, 0, nameSize)).trimEnd(),
    table: {
      weights: new Int8Array(file, weightsStart, lexiconOffset),
      lexicon: new Uint16Array(file, lexiconStart, lexiconSize),
      training: false,
    },
    network: doublesAt(1, networkSize),
    tagNetwork: doublesAt(1 + networkSize, networkSize),
    scales: doublesAt(1 + 2 * networkSize, lengthBucketCount),
    biases: doublesAt(1 + 2 * networkSize + lengthBucketCount, lengthBucketCount),
  };
}

function unquote(localPart: string): string {
  return localPart.startsWith('"') ? localPart.slice(1, -1).replace(/\\(.)/g, '$1') : localPart;
}
