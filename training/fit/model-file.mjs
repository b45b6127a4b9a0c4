import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importEngine } from './engine-source.mjs';

const { tableSize } = await importEngine('feature-index.ts');
const modelName = 'mailvet-plausibility/9';
const path = join(import.meta.dirname, '../../src/engine/data/plausibility.bin');

/** Writes the model in the format that `loadModel` reads and returns its size in bytes. */
export function writeModel({ table, lexicon, network, tagNetwork, lines }) {
  const slopes = lines.map(({ slope }) => slope);
  const offsets = lines.map(({ offset }) => offset);
  const numbers = Float64Array.of(tableSize, ...network, ...tagNetwork, ...slopes, ...offsets);
  const bytes = Buffer.concat([
    Buffer.from(modelName.padEnd(32)),
    ...[numbers, table, lexicon].map(({ buffer }) => Buffer.from(buffer)),
  ]);
  writeFileSync(path, bytes);
  return bytes.length;
}
