import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiled } from './compiled.mjs';

const { longSlots, tableSize } = await import(await compiled('slots.ts'));
const modelName = 'mailvet-plausibility/5';
const path = join(import.meta.dirname, '../../src/engine/data/plausibility.bin');

/** The weights and marks of the bundled model. */
export function readModel() {
  const bytes = readFileSync(path);
  const start = bytes.indexOf(0x0a) + 1;
  return {
    table: new Int8Array(bytes.subarray(start, start + tableSize)),
    marks: new Uint8Array(bytes.subarray(start + tableSize, start + tableSize + longSlots)),
  };
}

/** One line of JSON, then the weights, a byte each, then the marks; returns how many bytes. Without a network and lines it gives no scores yet. */
export function writeModel({ table, marks, network = [], lines = [] }) {
  const head = {
    model: modelName,
    slots: tableSize,
    network: [...network],
    scales: lines.map(({ slope }) => slope),
    biases: lines.map(({ offset }) => offset),
  };
  const bytes = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), Buffer.from(table.buffer), marks]);
  writeFileSync(path, bytes);
  return bytes.length;
}
