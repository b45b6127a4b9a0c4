import { setFlagsFromString } from 'node:v8';

const flags = [
  // Bytes of bytecode that a function runs before V8 compiles it anew, for speed: twenty times the usual. A list of a thousand mailboxes
  // is done by the time that it has optimised anything, and an eighth of the processor's time went into that.
  '--interrupt-budget=1500000',
  // The room for new objects grows to its full size at once, not in five steps, after each of which the rows under way are copied.
  '--semi-space-growth-factor=16',
];

/**
 * Sets V8 up for a list, beside mail servers that may need the processor, too. Node 22 and later have a compiler that costs little in
 * between, and do not know the first of these.
 */
export function tuneV8(nodeVersion: string = process.versions.node): void {
  if (nodeVersion.startsWith('20.')) for (const flag of flags) setFlagsFromString(flag);
}
