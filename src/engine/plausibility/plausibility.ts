import { type Clock, systemClock } from '../../async/clock.js';
import { readSizedDataFile } from '../../disk/bundled-file.js';
import type { Address } from '../../model/address.js';
import type { PlausibilityEvidence } from '../../model/evidence.js';
import { dataPath } from '../data-file.js';
import { isInLexicon, lexiconSize, lineCount, readFeatures, sumOf, tableSize } from './features.js';

/**
 * The trained model: one weight for each feature, the n-grams and words that several real names share, and a calibration
 * line (Platt scaling) for each length.
 */
interface Model {
  name: string;
  weights: Int8Array;
  /** A Bloom filter. */
  lexicon: Uint8Array;
  /** Slope and offset of each line. */
  lines: Float64Array;
}

/** Bytes of the model's name, padded with spaces. */
const nameSize = 32;

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
  const year = new Date(clock.now()).getUTCFullYear();
  const tagStart = localPart.indexOf('+', 1);
  const name = tagStart === -1 ? localPart : localPart.slice(0, tagStart);
  const tag = tagStart === -1 ? '' : localPart.slice(tagStart + 1).replaceAll('+', '.');
  const tagScore = tag === '' ? 1 : probability(model, tag, true, year);
  return Math.round(1000 * tagScore * probability(model, name, false, year)) / 1000;
}

function probability({ weights, lexicon, lines }: Model, text: string, isTag: boolean, year: number): number {
  const features = readFeatures(text, isTag, (hash) => isInLexicon(lexicon, hash), year);
  const { line } = features;
  return (
    1 / (1 + Math.exp(-(sumOf(weights, features) * (lines[2 * line] as number) + (lines[2 * line + 1] as number))))
  );
}

const weightsStart = nameSize + 16 * lineCount;

/** The file contains the name, the lines as little-endian doubles, the weights as bytes, and the lexicon. */
function loadModel(): Model {
  const file = readSizedDataFile(dataPath('plausibility.bin'), weightsStart + tableSize + lexiconSize);
  const view = new DataView(file);
  return {
    name: String.fromCharCode(...new Uint8Array(file, 0, nameSize)).trimEnd(),
    lines: Float64Array.from({ length: 2 * lineCount }, (_, at) => view.getFloat64(nameSize + 8 * at, true)),
    weights: new Int8Array(file, weightsStart, tableSize),
    lexicon: new Uint8Array(file, weightsStart + tableSize, lexiconSize),
  };
}

function unquote(localPart: string): string {
  return localPart.startsWith('"') ? localPart.slice(1, -1).replace(/\\(.)/g, '$1') : localPart;
}
