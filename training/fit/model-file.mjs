import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiled } from './engine-source.mjs';

const { tableSize } = await import(await compiled('feature-index.ts'));
const modelName = 'mailvet-plausibility/9';
const path = join(import.meta.dirname, '../../src/engine/data/plausibility.bin');

/** As `loadModel` reads it; returns how many bytes. */
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
