/** One message, or its beginning, and where it starts in the input. */
interface RawMessage {
  bytes: Buffer;
  offset: number;
}

/** The rest of a message is skipped: the report comes before the copy of the returned message. */
const maxMessageBytes = 256 * 1024;
/** The rest of a line is read as another line. */
const maxLineBytes = 64 * 1024;
const lineFeed = 0x0a;

/** RFC 4155: `From address date` separates the messages of an mbox, if a header follows. */
const separatorLine = /^From .*\d\d:\d\d/;
const headerLine = /^(?:>?From |[\w-]+:)/;
/** A header field that can start the next message of a stream without separators. */
const firstHeaderLine = /^(?:Return-Path|Received|Delivered-To|From|To|Date|Subject|MIME-Version|X-[\w-]+): ?/i;

/** Splits an input into messages in bounded memory: an mbox at its separators, other input after the end of a multipart message. */
export async function* splitMessages(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<RawMessage> {
  const splitter = new MessageSplitter();
  for await (const piece of pieces) yield* splitter.push(piece);
  yield* splitter.end();
}

class MessageSplitter {
  #pending: Buffer = Buffer.alloc(0);
  #parts: Buffer[] = [];
  #length = 0;
  #start = 0;
  #offset = 0;
  #isMbox: boolean | null = null;
  /** A separator whose next line is not known yet. */
  #separator: Buffer | null = null;
  #header: string | null = '';
  #closing: string | null = null;
  #isClosed = false;

  *push(piece: Uint8Array): Generator<RawMessage> {
    const block = Buffer.concat([this.#pending, piece]);
    let start = 0;
    let added = 0;
    for (let end = block.indexOf(lineFeed); end !== -1; end = block.indexOf(lineFeed, start)) {
      // Most lines are added together with their neighbors.
      if (this.#mayBeBoundary(block[start] ?? lineFeed)) {
        this.#add(block.subarray(added, start));
        yield* this.#addLine(block.subarray(start, end + 1));
        added = end + 1;
      }
      start = end + 1;
    }
    this.#add(block.subarray(added, start));
    if (block.length - start > maxLineBytes) {
      yield* this.#addLine(block.subarray(start));
      start = block.length;
    }
    this.#pending = block.subarray(start);
  }

  *end(): Generator<RawMessage> {
    yield* this.#addLine(this.#pending);
    if (this.#separator !== null) this.#add(this.#separator);
    yield* this.#finish();
  }

  #mayBeBoundary(first: number): boolean {
    if (this.#isMbox === null || this.#separator !== null) return true;
    // F: a separator; a hyphen: a boundary.
    return this.#isMbox ? first === 0x46 : this.#header !== null || this.#isClosed || first === 0x2d;
  }

  *#addLine(line: Buffer): Generator<RawMessage> {
    const first = line[0] ?? lineFeed;
    if (this.#isMbox === null && first > 0x20) this.#isMbox = separatorLine.test(textOf(line));
    if (this.#separator !== null) {
      const separator = this.#separator;
      this.#separator = null;
      if (headerLine.test(textOf(line))) yield* this.#finish();
      this.#add(separator);
    }
    // F: the line may be a separator.
    if (this.#isMbox === true && first === 0x46 && separatorLine.test(textOf(line))) {
      this.#separator = Buffer.from(line);
      return;
    }
    if (this.#isMbox === false) yield* this.#followBoundary(line, first);
    this.#add(line);
  }

  /** Ends a message whose outermost boundary is closed (RFC 2046, section 5.1.1) when another header begins. */
  *#followBoundary(line: Buffer, first: number): Generator<RawMessage> {
    if (this.#isClosed && first > 0x20 && firstHeaderLine.test(textOf(line))) yield* this.#finish();
    if (this.#header !== null) {
      this.#header += textOf(line);
      if (this.#header.length < maxLineBytes && first !== lineFeed && first !== 0x0d) return;
      const boundary = /^content-type:[^\n]*(?:\n[ \t][^\n]*)*?boundary=(?:"([^"\n]+)"|([^\s;]+))/im.exec(this.#header);
      this.#closing = boundary === null ? null : `--${boundary[1] ?? boundary[2]}--`;
      this.#header = null;
    } else if (first === 0x2d && this.#closing !== null && textOf(line).trimEnd() === this.#closing) {
      this.#isClosed = true;
    }
  }

  #add(line: Buffer): void {
    this.#offset += line.length;
    if (this.#length >= maxMessageBytes || line.length === 0) return;
    // However the input is cut, the same bytes are kept. A copy: a slice would keep its whole piece in memory.
    const part = Buffer.from(line.subarray(0, maxMessageBytes - this.#length));
    this.#parts.push(part);
    this.#length += part.length;
  }

  *#finish(): Generator<RawMessage> {
    const bytes = withLineFeeds(Buffer.concat(this.#parts));
    if (bytes.some((byte) => byte > 0x20)) yield { bytes, offset: this.#start };
    this.#parts = [];
    this.#length = 0;
    this.#start = this.#offset;
    this.#header = '';
    this.#closing = null;
    this.#isClosed = false;
  }
}

function textOf(line: Buffer): string {
  return line.toString('latin1', 0, 1_000);
}

/** Files of classic Mac OS end lines with CR alone. */
function withLineFeeds(bytes: Buffer): Buffer {
  if (bytes.includes(lineFeed) || !bytes.includes(0x0d)) return bytes;
  return Buffer.from(bytes.map((byte) => (byte === 0x0d ? lineFeed : byte)));
}
