// C0 except tab, DEL, C1, line and paragraph separators, bidirectional controls, zero-width and tag characters, BOM.
const unsafe =
  /[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|\u{e0001}|[\u{e0020}-\u{e007f}]/gu;

/** True if a terminal would not show the text unchanged. */
export function hasUnsafeText(text: string): boolean {
  return text.includes('\t') || safeText(text) !== text;
}

/** Text safe to display on one line: control, invisible and bidirectional characters are replaced. */
export function safeText(text: string): string {
  return text.replace(unsafe, '\ufffd');
}
