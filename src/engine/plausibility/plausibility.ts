import { readSizedDataFile } from '../../disk/bundled-file.js';
import type { Address } from '../../model/address.js';
import type { PlausibilityEvidence } from '../../model/evidence.js';
import { dataUrl } from '../data-file.js';
import { evidenceSize, liftForDigits, logOddsOf, networkSize, readEvidence } from './evidence.js';
import { firstLong, longSlots, type Table } from './feature-index.js';
import { lastRead, maxFeatures, readFeatures, spanCount } from './features.js';

/** The trained model: a table of weights, a network over what they say, and for each span of letters a line to the log-odds. */
interface Model {
  name: string;
  table: Table;
  /** What turns evidence into log-odds. */
  network: Float64Array;
  /** The same for the evidence of a tag. */
  tagNetwork: Float64Array;
  scales: Float64Array;
  biases: Float64Array;
}

const evidence = new Float64Array(evidenceSize);
const told = new Int32Array(maxFeatures);
let loaded: Model | undefined;

/** How likely a local part is a mailbox that somebody reads, 0..1, by the bundled model; nothing leaves the machine. */
export function plausibility(localPart: string): number {
  loaded ??= loadModel();
  return scoreOf(loaded, localPart);
}

/** The model as a sense of the engine; read at its first question. */
export function openPlausibility(): (address: Address) => PlausibilityEvidence {
  return ({ localPart }) => {
    loaded ??= loadModel();
    return { score: scoreOf(loaded, unquoted(localPart)), model: loaded.name };
  };
}

/** In thousandths, so that no difference between two machines' `exp` can show. */
function scoreOf(model: Model, localPart: string): number {
  const { table, network, scales, biases } = model;
  readEvidence(told, readFeatures(localPart, table, told), evidence);
  const line = lastRead.span;
  const raw = logOddsOf(evidence, network);
  const logOdds = raw * (scales[line] as number) + (biases[line] as number) + liftForDigits();
  const tagStart = localPart.indexOf('+', 1) + 1;
  const byPerson = tagStart === 0 ? 1 : tagProbability(model, localPart.slice(tagStart));
  return Math.round((1000 * byPerson) / (1 + Math.exp(-logOdds))) / 1000;
}

/** How likely a person wrote what follows the plus: it is read like a name, another plus in it like a dot. */
function tagProbability({ table, tagNetwork }: Model, tag: string): number {
  readEvidence(told, readFeatures(tag.replaceAll('+', '.'), table, told), evidence);
  return 1 / (1 + Math.exp(-logOddsOf(evidence, tagNetwork)));
}

/** Few machines read the upper byte of a number first. */
const lowerByteFirst = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** The name of the model takes so many bytes, filled up with spaces. */
const nameSize = 32;

/**
 * Its name; then numbers of eight bytes, which are how many slots there are, both networks, and slope and offset of each line; then the
 * weights, a byte each, and the lexicon, two bytes each. All have the lower byte first, and are read where they stand.
 */
function loadModel(): Model {
  const numbers = 1 + 2 * networkSize + 2 * spanCount;
  const weightsStart = nameSize + 8 * numbers;
  const lexiconStart = weightsStart + firstLong;
  const file = readSizedDataFile(dataUrl('plausibility.bin'), lexiconStart + 2 * longSlots);
  if (!lowerByteFirst) {
    Buffer.from(file, nameSize, 8 * numbers).swap64();
    Buffer.from(file, lexiconStart).swap16();
  }
  const numbersAt = (start: number, count: number) => new Float64Array(file, nameSize + 8 * start, count);
  return {
    name: Reflect.apply(String.fromCharCode, null, new Uint8Array(file, 0, nameSize)).trimEnd(),
    table: {
      short: new Int8Array(file, weightsStart, firstLong),
      lexicon: new Uint16Array(file, lexiconStart, longSlots),
      training: false,
    },
    network: numbersAt(1, networkSize),
    tagNetwork: numbersAt(1 + networkSize, networkSize),
    scales: numbersAt(1 + 2 * networkSize, spanCount),
    biases: numbersAt(1 + 2 * networkSize + spanCount, spanCount),
  };
}

/** Quotes belong to the grammar, not to the name. */
function unquoted(localPart: string): string {
  return localPart.startsWith('"') ? localPart.slice(1, -1).replace(/\\(.)/g, '$1') : localPart;
}
