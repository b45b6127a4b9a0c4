const maxSplitChars = 64 * 1024;

/** The addresses of a text with several: `a@x.org, b@y.org`, or pasted from Outlook `Ada <a@x.org>; Bob <b@y.org>`; otherwise null. */
export function splitAddresses(text: string): string[] | null {
  const first = text.indexOf('@');
  if (first === -1 || text.indexOf('@', first + 1) === -1 || text.length > maxSplitChars) return null;
  const found = text
    .split(/(?:&nbsp;|[\s,;|、，])+/i)
    // The lookbehind keeps it linear.
    .map((word) => word.replace(/^(?:[<("']|mailto:|smtp:)+|(?<![>)"'.])[>)"'.]+$/gi, ''))
    .filter((word) => word.includes('@'));
  // A mistyped one (`b@@y.org`) is an address too.
  const isSeveral = found.filter((word) => !word.startsWith('@') && !word.endsWith('@')).length > 1;
  const hasAddress = found.some((word) => /^[^@]+@[^@]+$/.test(word));
  // A quote within a word belongs to a quoted local part.
  return isSeveral && hasAddress && !found.some((word) => word.includes('"')) ? found : null;
}
