/** The fields of one recipient of a delivery report (RFC 3464, section 2.3), and those of the whole report. */
export interface RecipientStatus {
  /** The address that was mailed, if the report holds it, otherwise the final one. */
  address: string;
  action: string;
  /** `5.1.1`; null if there is none. */
  status: string | null;
  /** The value without its type. */
  diagnostic: string;
  remoteMta: string;
  reportingMta: string;
  lastAttempt: string;
}

const messageFields = new Set(['reporting-mta', 'received-from-mta', 'arrival-date', 'original-envelope-id']);
const maxRecipients = 10_000;

/** Reads the fields of a report, also if empty lines are missing or in the wrong place. */
export function readDeliveryStatus(text: string): RecipientStatus[] {
  const report = new Map<string, string>();
  const recipients: Map<string, string>[] = [];
  let block = new Map<string, string>();
  const endBlock = (): void => {
    if (block.has('final-recipient') || block.has('original-recipient')) recipients.push(block);
    else {
      // An empty line within the fields of a recipient.
      const last = recipients.at(-1);
      for (const [name, value] of block) if (last !== undefined && !last.has(name)) last.set(name, value);
    }
    block = new Map();
  };
  for (const line of unfold(text)) {
    const [, name = '', value = ''] = /^([\w-]{2,60})\s*:\s*(.*)$/s.exec(line) ?? [];
    const key = name.toLowerCase();
    const isAnother = key.endsWith('-recipient') && block.has(key);
    if (line.trim() === '' || isAnother) endBlock();
    if (recipients.length >= maxRecipients) break;
    if (messageFields.has(key)) report.set(key, report.get(key) ?? value);
    else if (key !== '' && !block.has(key)) block.set(key, value);
  }
  endBlock();
  const reportingMta = hostOf(report.get('reporting-mta') ?? '');
  return recipients.map((fields) => statusOf(fields, reportingMta));
}

function statusOf(fields: ReadonlyMap<string, string>, reportingMta: string): RecipientStatus {
  const field = (name: string): string => fields.get(name) ?? '';
  return {
    address: addressIn(field('original-recipient')) || addressIn(field('final-recipient')),
    action: /[a-z]+/.exec(field('action').toLowerCase())?.[0] ?? '',
    status: /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(field('status'))?.[0] ?? null,
    diagnostic: field('diagnostic-code').replace(/^\s*[\w.-]+\s*;\s*/, ''),
    remoteMta: hostOf(field('remote-mta')),
    reportingMta,
    lastAttempt: field('last-attempt-date'),
  };
}

/** RFC 3464, section 2.1.2: the value is `type; address`. RFC 6533, section 3: `\x{5B8C}` stands for a character. */
function addressIn(value: string): string {
  const address = value
    .replace(/^\s*[\w-]+\s*;/, '')
    .replace(/\\x\{([\da-f]{2,6})\}/gi, (_, code: string) =>
      String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff)),
    )
    .trim()
    // Not the quotes of a local part: "john doe"@example.org
    .replace(/^"(.*)"$/s, '$1')
    .replace(/^<|>$/g, '');
  return address.includes('@') ? address : '';
}

function hostOf(value: string): string {
  return (
    value
      .replace(/^\s*[\w-]+\s*;/, '')
      .trim()
      .split(/\s/)[0] ?? ''
  ).slice(0, 255);
}

/** RFC 5322, section 2.2.3: a line that starts with a blank continues the one before. */
export function unfold(text: string): string[] {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/\n[ \t]+(?=\S)/g, ' ')
    .split('\n');
}
