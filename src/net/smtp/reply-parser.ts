import type { SmtpReply, SmtpStage } from '../../model/evidence.js';

/** A longer reply is malformed; RFC 5321 §4.5.3.1.5 allows 512 bytes a line. */
export const maxReplyBytes = 64 * 1024;

const maxLineBytes = 1024;
const maxLines = 128;
const maxTextLength = 2000;
const maxRejectedLength = 200;
const lineFeed = 0x0a;

/** A whole reply, its lines made safe to show. */
export interface RawReply {
  code: number;
  lines: string[];
  /** The code of each line, if they differ. The last one counts. */
  lineCodes?: number[];
}

/** Assembles the replies of one connection from network chunks in bounded memory. */
export class ReplyReader {
  /** The beginning of what is not SMTP, safe to show; empty if there is none. */
  rejectedText = '';
  private line: Buffer[] = [];
  private lineBytes = 0;
  private replyBytes = 0;
  private lines: string[] = [];
  private codes: number[] = [];
  private isMalformed = false;

  /** The replies that this chunk completed. `malformed`: the rest is not SMTP, and nothing more is read. */
  push(chunk: Buffer): { replies: RawReply[]; malformed: boolean } {
    const replies: RawReply[] = [];
    let start = 0;
    while (start < chunk.length && !this.isMalformed) {
      const end = chunk.indexOf(lineFeed, start);
      const piece = chunk.subarray(start, end === -1 ? chunk.length : end);
      this.replyBytes += piece.length;
      if (this.replyBytes > maxReplyBytes) this.isMalformed = true;
      else if (end === -1) this.appendToLine(piece);
      else this.isMalformed = !this.endLine(piece, replies);
      start = end === -1 ? chunk.length : end + 1;
    }
    return { replies, malformed: this.isMalformed };
  }

  private appendToLine(piece: Buffer): void {
    const room = maxLineBytes - this.lineBytes;
    // A copy: a slice would keep the whole chunk in memory.
    if (room > 0) this.line.push(Buffer.from(piece.subarray(0, room)));
    this.lineBytes += piece.length;
  }

  private endLine(piece: Buffer, finished: RawReply[]): boolean {
    if (this.lineBytes > 0) this.appendToLine(piece);
    const text = decode(this.lineBytes > 0 ? Buffer.concat(this.line) : piece.subarray(0, maxLineBytes));
    this.line = [];
    this.lineBytes = 0;
    const parsed = /^([2-5]\d\d)(?:([ -])(.*))?$/s.exec(text.trimEnd());
    if (parsed === null) {
      this.rejectedText = printable(text).slice(0, maxRejectedLength);
      return false;
    }
    const code = Number(parsed[1]);
    const { lines, codes } = this;
    lines.push(printable(parsed[3] ?? ''));
    codes.push(code);
    if (parsed[2] === '-') return lines.length < maxLines;
    finished.push(codes.every((each) => each === code) ? { code, lines } : { code, lines, lineCodes: codes });
    [this.lines, this.codes, this.replyBytes] = [[], [], 0];
    return true;
  }
}

/** Old hosts send Latin-1, which is not valid UTF-8. */
function decode(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return text.includes('\uFFFD') ? bytes.toString('latin1') : text;
}

/** Removes control, formatting and line-breaking characters. */
function printable(text: string): string {
  if (/^[ -~]*$/.test(text)) return text.trim();
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu, ' ').trim();
}

/** The reply as evidence: lines joined and capped, with the first enhanced code (RFC 2034). */
export function toReply(stage: SmtpStage, raw: RawReply): SmtpReply {
  const [firstLine = ''] = raw.lines;
  const text = (raw.lines.length === 1 ? firstLine : raw.lines.filter(Boolean).join(' ')).slice(0, maxTextLength);
  return { stage, code: raw.code, enhanced: enhancedIn(text), text };
}

/** The first enhanced status code in a text, unless the digits are part of an IP address or a version. */
export function enhancedIn(text: string): string | null {
  return /(?<![\d.])([245]\.\d{1,3}\.\d{1,3})(?![\d]|\.\d)/.exec(text)?.[1] ?? null;
}
