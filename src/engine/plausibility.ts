import type { Address } from '../model/address.js';
import type { PlausibilityEvidence } from '../model/evidence.js';
import { readDataFile } from './data-file.js';
import { visitFeatures } from './plausibility/features.js';

/** The trained model: a table of weights, and the line that turns their sum into a probability. */
interface Model {
  name: string;
  weights: Int8Array;
  scale: number;
  bias: number;
}

const dataUrl = new URL('./data/plausibility.bin', import.meta.url);
let loaded: Model | undefined;

/** How likely a local part is a mailbox that somebody reads, 0..1, by the bundled model; nothing leaves the machine. */
export function plausibility(localPart: string): number {
  loaded ??= loadModel();
  return Math.round(probabilityOf(loaded, localPart) * 1000) / 1000;
}

/** The model as a sense of the engine; read at its first question. */
export function openPlausibility(): (address: Address) => PlausibilityEvidence {
  return ({ localPart }) => {
    loaded ??= loadModel();
    return { score: plausibility(unquoted(localPart)), model: loaded.name };
  };
}

let sum = 0;
let table: Int8Array = new Int8Array(0);

function addWeight(slot: number): void {
  sum += table[slot] as number;
}

function probabilityOf({ weights, scale, bias }: Model, localPart: string): number {
  sum = 0;
  table = weights;
  visitFeatures(localPart, addWeight);
  return 1 / (1 + Math.exp(-(sum * scale + bias)));
}

/** One line of JSON, then the weights, one byte each. */
function loadModel(): Model {
  const bytes = readDataFile(dataUrl);
  const end = bytes.indexOf(0x0a);
  const { model, scale, bias } = JSON.parse(bytes.toString('utf8', 0, end)) as {
    model: string;
    scale: number;
    bias: number;
  };
  return {
    name: model,
    scale,
    bias,
    weights: new Int8Array(bytes.buffer, bytes.byteOffset + end + 1, bytes.length - end - 1),
  };
}

/** Quotes belong to the grammar, not to the name. */
function unquoted(localPart: string): string {
  return localPart.startsWith('"') ? localPart.slice(1, -1).replace(/\\(.)/g, '$1') : localPart;
}
