import { readDataFile } from '../../disk/bundled-file.js';
import type { Address } from '../../model/address.js';
import type { PlausibilityEvidence } from '../../model/evidence.js';
import { dataUrl } from '../data-file.js';
import { lastRead, maxFeatures, readFeatures } from './features.js';
import { longSlots, tableSize } from './slots.js';

/** The trained model: a table of weights, and for each span of letters the line that turns their sum into log-odds. */
interface Model {
  name: string;
  weights: Int8Array;
  /** Which long n-grams and words own their weights. */
  marks: Uint8Array;
  scales: number[];
  biases: number[];
}

const slots = new Uint32Array(maxFeatures);
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
function scoreOf({ weights, marks, scales, biases }: Model, localPart: string): number {
  const count = readFeatures(localPart, marks, slots);
  let sum = 0;
  for (let at = 0; at < count; at++) sum += weights[slots[at] as number] as number;
  const logOdds = sum * (scales[lastRead.span] as number) + (biases[lastRead.span] as number);
  return Math.round(1000 / (1 + Math.exp(-logOdds))) / 1000;
}

/** One line of JSON, then the weights, a byte each, then the marks. */
function loadModel(): Model {
  const bytes = readDataFile(dataUrl('plausibility.bin'));
  const end = bytes.indexOf(0x0a);
  const head = JSON.parse(bytes.toString('utf8', 0, end)) as { model: string; scales: number[]; biases: number[] };
  const start = bytes.byteOffset + end + 1;
  const weights = new Int8Array(bytes.buffer, start, tableSize);
  const marks = new Uint8Array(bytes.buffer, start + tableSize, longSlots);
  return { name: head.model, scales: head.scales, biases: head.biases, weights, marks };
}

/** Quotes belong to the grammar, not to the name. */
function unquoted(localPart: string): string {
  return localPart.startsWith('"') ? localPart.slice(1, -1).replace(/\\(.)/g, '$1') : localPart;
}
