import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiled } from './compiled.mjs';

const { tableSize } = await import(await compiled('slots.ts'));
const modelName = 'mailvet-plausibility/7';
const path = join(import.meta.dirname, '../../src/engine/data/plausibility.bin');

/** One line of JSON of an even length, then the weights, a byte each, then the lexicon, two bytes each, the lower first; returns how many bytes. */
export function writeModel({ table, lexicon, network, lines }) {
  const head = {
    model: modelName,
    slots: tableSize,
    network: [...network],
    scales: lines.map(({ slope }) => slope),
    biases: lines.map(({ offset }) => offset),
  };
  const line = JSON.stringify(head);
  const even = line.length % 2 === 0 ? `${line} \n` : `${line}\n`;
  const bytes = Buffer.concat([Buffer.from(even), Buffer.from(table.buffer), Buffer.from(lexicon.buffer)]);
  writeFileSync(path, bytes);
  return bytes.length;
}
