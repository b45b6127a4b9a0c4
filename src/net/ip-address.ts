const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const ipv4 = new RegExp(`^${octet}(?:\\.${octet}){3}$`);

/** Whether a text is an IPv4 address in dotted decimal. Leading zeros are refused: some software reads them as octal. */
export function isIpv4(text: string): boolean {
  return ipv4.test(text);
}

/** The 4 or 16 bytes of an IP address, or null for other text. A zone (`%eth0`) is ignored. */
export function parseIp(text: string): Uint8Array | null {
  if (text.includes(':')) return parseIpv6(text.replace(/%.*/s, ''));
  if (!isIpv4(text)) return null;
  const [first = 0, second = 0, third = 0, fourth = 0] = text.split('.').map(Number);
  return Uint8Array.of(first, second, third, fourth);
}

function parseIpv6(text: string): Uint8Array | null {
  const halves = text.split('::');
  const [head, tail] = halves.map((half, index) => parseGroups(half, index === halves.length - 1));
  if (halves.length > 2 || head == null || tail === null) return null;
  if (tail === undefined) return head.length === 16 ? Uint8Array.from(head) : null;
  if (head.length + tail.length > 14) return null;
  const bytes = new Uint8Array(16);
  bytes.set(head);
  bytes.set(tail, 16 - tail.length);
  return bytes;
}

function parseGroups(text: string, mayEndInIpv4: boolean): number[] | null {
  if (text === '') return [];
  const bytes: number[] = [];
  const groups = text.split(':');
  for (const [index, group] of groups.entries()) {
    if (/^[\da-f]{1,4}$/i.test(group)) {
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
    } else if (mayEndInIpv4 && index === groups.length - 1 && isIpv4(group))
      bytes.push(...group.split('.').map(Number));
    else return null;
  }
  return bytes;
}

/** The text of an IP address: dotted, or by RFC 5952 §4 and §5. */
export function formatIp(bytes: Uint8Array): string {
  if (bytes.length === 4) return `${bytes[0]}.${bytes[1]}.${bytes[2]}.${bytes[3]}`;
  if (/^(?:0,){10}255,255,/.test(bytes.join())) return `::ffff:${formatIp(bytes.subarray(12))}`;
  const groups = Array.from({ length: 8 }, (_, i) =>
    (((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0)).toString(16),
  );
  const text = groups.join(':');
  const zeros = text.match(/\b0(?::0)+\b/g)?.reduce((longest, run) => (run.length > longest.length ? run : longest));
  return zeros === undefined ? text : text.replace(new RegExp(`(?:^|:)\\b${zeros}\\b(?:$|:)`), '::');
}
