import { readDataFile } from '../../disk/bundled-file.js';
import type { Address } from '../../model/address.js';
import type { PlausibilityEvidence } from '../../model/evidence.js';
import { dataUrl } from '../data-file.js';
import { evidenceSize, logOddsOf, readEvidence } from './evidence.js';
import { lastRead, maxFeatures, readFeatures } from './features.js';
import { firstLong, longSlots, type Table } from './slots.js';

/** What stands before the weights. */
interface Head {
  model: string;
  network: number[];
  scales: number[];
  biases: number[];
}

/** The trained model: a table of weights, a network over what they say, and for each span of letters a line to the log-odds. */
interface Model {
  name: string;
  table: Table;
  /** What turns evidence into log-odds. */
  network: Float64Array;
  scales: number[];
  biases: number[];
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
function scoreOf({ table, network, scales, biases }: Model, localPart: string): number {
  readEvidence(told, readFeatures(localPart, table, told), evidence);
  const logOdds = logOddsOf(evidence, network) * (scales[lastRead.span] as number) + (biases[lastRead.span] as number);
  return Math.round(1000 / (1 + Math.exp(-logOdds))) / 1000;
}

/** Few machines read the upper byte of a number first. */
const lowerByteFirst = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/**
 * One line of JSON of an even length, then the weights, a byte each, then the lexicon, two bytes each, the lower first. Buffer's own
 * methods take longer to get going than all the rest.
 */
function loadModel(): Model {
  const file = readDataFile(dataUrl('plausibility.bin'));
  const { buffer, byteOffset, length } = file;
  const bytes = new Uint8Array(buffer, byteOffset, length);
  const end = bytes.indexOf(0x0a);
  const head = JSON.parse(Reflect.apply(String.fromCharCode, null, bytes.subarray(0, end))) as Head;
  const start = byteOffset + end + 1;
  if (!lowerByteFirst) file.subarray(end + 1 + firstLong).swap16();
  const short = new Int8Array(buffer, start, firstLong);
  const lexicon = new Uint16Array(buffer, start + firstLong, longSlots);
  const network = new Float64Array(head.network);
  const table = { short, lexicon, training: false };
  return { name: head.model, network, scales: head.scales, biases: head.biases, table };
}

/** Quotes belong to the grammar, not to the name. */
function unquoted(localPart: string): string {
  return localPart.startsWith('"') ? localPart.slice(1, -1).replace(/\\(.)/g, '$1') : localPart;
}
