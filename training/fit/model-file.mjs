import { importEngine } from './engine-source.mjs';

const { featureCount } = await importEngine('feature-table.ts');
const modelName = 'mailvet-plausibility/9';

/** The model in the format that the program's `loadModel` reads. */
export function encodeModel({ table, lexicon, network, tagNetwork, lines }) {
  const slopes = lines.map(({ slope }) => slope);
  const offsets = lines.map(({ offset }) => offset);
  const numbers = Float64Array.of(featureCount, ...network, ...tagNetwork, ...slopes, ...offsets);
  return Buffer.concat([
    Buffer.from(modelName.padEnd(32)),
    ...[numbers, table, lexicon].map(({ buffer }) => Buffer.from(buffer)),
  ]);
}
