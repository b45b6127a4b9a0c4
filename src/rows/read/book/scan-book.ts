import type { Row } from '../../rows.js';
import type { RowScanner } from '../row-reader.js';
import { LineSplitter } from '../scan-lines.js';

/** A longer property is cut; no name or address is that long. */
const maxLineChars = 64 * 1024;

/** Bounds the addresses that are held until the end of their entry. */
const maxHeldEmails = 1000;

/** The entry being read. It gives a row for each address, or one without an address. */
export class BookEntry {
  #rows: Row[] = [];
  #isOpen = false;
  #hasRows = false;
  #name = '';
  #otherName = '';
  #emails: string[] = [];

  begin(): void {
    this.finish();
    this.#isOpen = true;
  }

  setName(name: string): void {
    this.#name ||= name.trim();
  }

  /** A name for entries without the preferred one. */
  setOtherName(name: string): void {
    this.#otherName ||= name.trim();
  }

  /** Also outside of an entry, so that no address is lost in a damaged file. */
  addEmail(value: string): void {
    if (value.trim() === '') return;
    this.#emails.push(value);
    if (this.#emails.length === maxHeldEmails) this.#addRows();
  }

  finish(): void {
    if (this.#isOpen && !this.#hasRows && this.#emails.length === 0) this.#emails.push('');
    this.#addRows();
    this.#isOpen = false;
    this.#hasRows = false;
    this.#name = '';
    this.#otherName = '';
  }

  /** The rows since the last call. */
  takeRows(): Row[] {
    return this.#rows.splice(0);
  }

  #addRows(): void {
    const name = this.#name || this.#otherName;
    for (const email of this.#emails) this.#rows.push({ cells: [name, email], email });
    this.#hasRows ||= this.#emails.length > 0;
    this.#emails = [];
  }
}

/** How the lines of an address book are read. */
interface BookSyntax {
  /** True for a line that `read` needs; others, such as photos, are not held. */
  isRead(line: string): boolean;
  /** True for the first line of a property whose lines end with `=` if they are continued. */
  hasSoftBreaks?(line: string): boolean;
  /** Reads a whole property. */
  read(line: string, entry: BookEntry): void;
}

/** Scans an address book. A line that starts with a blank continues the one before (RFC 6350, section 3.2; RFC 2849). */
export function createBookScanner({ isRead, hasSoftBreaks = () => false, read }: BookSyntax): RowScanner {
  const splitter = new LineSplitter(maxLineChars);
  const entry = new BookEntry();
  /** Null while a property is skipped. */
  let held: string | null = null;
  let isSoft = false;
  let isContinued = false;
  const finishProperty = (): void => {
    if (held !== null) read(held, entry);
    held = null;
  };
  const addLine = (line: string): void => {
    const isFolded = isContinued || /^[ \t]/.test(line);
    const text = isFolded && !isContinued ? line.slice(1) : line;
    if (!isFolded) {
      finishProperty();
      isSoft = line.includes('=') && hasSoftBreaks(line);
      if (isRead(line)) held = '';
    }
    isContinued = isSoft && text.endsWith('=');
    if (held !== null && held.length < maxLineChars) held += isContinued ? text.slice(0, -1) : text;
  };
  let rowCount = 0;
  const takeRows = (): Row[] => {
    const rows = entry.takeRows();
    rowCount += rows.length;
    return rows;
  };
  return {
    push: (text) => {
      for (const line of splitter.push(text)) addLine(line);
      return takeRows();
    },
    end: () => {
      for (const line of splitter.end()) addLine(line);
      finishProperty();
      entry.finish();
      return takeRows();
    },
    // An address book has rows only after it was read.
    lineNumber: () => rowCount,
    skippedLines: () => 0,
  };
}
