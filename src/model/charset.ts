/** How the bytes of a list are held as text, shown, and written back unchanged. */
export interface Charset {
  /** The encoding that the user or the first bytes name; null for UTF-8 and whatever is guessed. */
  declared: string | null;
  /** The text as it is shown; of a single cell, since each may be in another encoding. */
  show(held: string): string;
  /** The same for an address, with U+FFFD before it if its encoding is only a guess. */
  showAddress(held: string): string;
  /** Text of ours, to be written beside held text; a character that the encoding of the list lacks becomes `?`. */
  hold(text: string): string;
  toBytes(held: string): Uint8Array;
  /** The encoding that cells were shown in by a guess; null if there were none. */
  guessed(): string | null;
}
