/** Lines that were not what the rest of the input is. */
export interface OddLines {
  /** Where the first of them begins, in characters of the decoded text. */
  firstAt: number;
  lines: number;
  /** What they were read as; null where it is the replacement character U+FFFD that stands for what could not be read. */
  readAs: string | null;
  /** Whether that is sure, as far as it can be. */
  sure: boolean;
  /** How many of them were in yet another one, and read as windows-1252. */
  strangers: number;
}

/** Turns bytes, cut anywhere, into text. What comes out does not depend on where they were cut. */
export interface Decoder {
  decode(bytes: Uint8Array): string;
  /** What is left when the input ends. */
  end(): string;
  /** Null while everything could be decoded. */
  odd(): OddLines | null;
  /** True once text beyond ASCII was met that is what the encoding says. */
  sound(): boolean;
}
