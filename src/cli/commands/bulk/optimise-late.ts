import { setFlagsFromString } from 'node:v8';

/** Twenty times the usual: bytes of bytecode that a function runs before V8 compiles it anew, for speed. */
const budget = 1_500_000;

/**
 * Lets V8 optimise only what runs for long. A list of a thousand mailboxes is done by the time that it has optimised anything, and an
 * eighth of the processor's time went into that, beside mail servers that may need it. Node 22 and later have a compiler that costs
 * little in between, and do not know this setting.
 */
export function optimiseLate(nodeVersion: string = process.versions.node): void {
  if (nodeVersion.startsWith('20.')) setFlagsFromString(`--interrupt-budget=${budget}`);
}
