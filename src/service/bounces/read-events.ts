import { parseAddress } from '../../engine/grammar/parse-address.js';
import type { Bounce } from '../../model/bounce.js';
import { findAddresses, readAddresses } from '../../rows/read/find-addresses.js';
import { type Classified, classifyFailure, unreadable } from './classify-failure.js';
import { bareId, type MessageReading } from './parse-notice.js';
import { readDate } from './read-date.js';

type Fields = Record<string, unknown>;

const hard: Classified = { kind: 'hard', status: 'invalid', sub_status: 'mailbox_not_found', reply: '' };
const soft: Classified = { kind: 'soft', status: 'unknown', sub_status: 'mail_server_temporary_error', reply: '' };
const full: Classified = { kind: 'soft', status: 'risky', sub_status: 'mailbox_quota_exceeded', reply: '' };
const policy: Classified = { kind: 'policy', status: 'unknown', sub_status: 'antispam_system', reply: '' };
const complaint: Classified = { kind: 'complaint', status: '', sub_status: '', reply: '' };
export const delivered: Classified = { kind: 'delivered', status: 'valid', sub_status: 'delivered', reply: '' };

/** Reads one event of Amazon SES, also in an envelope of SNS or EventBridge, or of Postmark. */
export function readEvent(value: unknown, depth = 0): MessageReading[] {
  if (!isObject(value) || depth > 3) return [{ type: 'other' }];
  const { Message: message, detail, Bounces: bounces } = value;
  if (typeof message === 'string' && 'TopicArn' in value) return readEvent(parseJson(message), depth + 1);
  if (isObject(detail) && 'detail-type' in value) return readEvent(detail, depth + 1);
  if (Array.isArray(bounces)) return bounces.flatMap((each) => readEvent(each, depth + 1));
  if (isObject(value['mail'])) return [readSes(value, value['mail'])];
  const isPostmark = typeof (value['Email'] ?? value['Recipient']) === 'string';
  if (isPostmark && ('Type' in value || 'RecordType' in value)) return [readPostmark(value)];
  return [{ type: 'other' }];
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function textAt(fields: unknown, name: string): string {
  const value = isObject(fields) ? fields[name] : undefined;
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

/** https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html */
function readSes(event: Fields, mail: Fields): MessageReading {
  const message_id = bareId(textAt(mail['commonHeaders'], 'messageId') || textAt(mail, 'messageId'));
  const { bounce, complaint: complained, delivery } = event;
  const report = [bounce, complained, delivery].find(isObject);
  if (report === undefined) return { type: 'other' };
  const date = readDate(textAt(report, 'timestamp'));
  const reporting_mta = textAt(report, 'reportingMTA').replace(/^\s*\w+\s*;\s*/, '');
  const isComplaint = report === complained;
  if (isComplaint && textAt(report, 'complaintFeedbackType') === 'not-spam') return { type: 'other' };
  if (report === delivery) return readSesDelivery(report, { date, reporting_mta, message_id });
  const list = report[isComplaint ? 'complainedRecipients' : 'bouncedRecipients'];
  const bounces = (Array.isArray(list) ? list : []).flatMap((recipient) => {
    const common = { date, reporting_mta, message_id };
    const classify = (address: string): Classified =>
      isComplaint ? complaint : classifySes(report, recipient, address);
    return bouncesOf(textAt(recipient, 'emailAddress'), textAt(recipient, 'diagnosticCode'), common, classify);
  });
  return { type: 'bounce', bounces, noticeId: textAt(report, 'feedbackId') };
}

function readSesDelivery(report: Fields, common: Parameters<typeof bouncesOf>[2]): MessageReading {
  const reply = textAt(report, 'smtpResponse');
  const bounces = (Array.isArray(report['recipients']) ? report['recipients'] : []).flatMap((recipient) =>
    typeof recipient === 'string' ? bouncesOf(recipient, '', common, () => ({ ...delivered, reply })) : [],
  );
  return bounces.length === 0 ? { type: 'other' } : { type: 'bounce', bounces, noticeId: '' };
}

/** Classifies by the reply, or else by the type of the bounce, which SES derives from it. */
function classifySes(report: Fields, recipient: unknown, address: string): Classified {
  const type = textAt(report, 'bounceType');
  const subType = textAt(report, 'bounceSubType');
  // SES did not send the message, because an earlier one bounced.
  if (/suppress/i.test(subType)) return hard;
  const classified = classifyFailure({
    recipient: address,
    text: textAt(recipient, 'diagnosticCode').replace(/^\s*[\w-]+\s*;\s*/, ''),
    status: textAt(recipient, 'status') || null,
    remoteMta: '',
  });
  if (classified.kind !== 'unreadable') return classified;
  if (subType === 'MailboxFull') return full;
  if (/Rejected|TooLarge/.test(subType)) return policy;
  return type === 'Permanent' ? hard : type === 'Transient' ? soft : unreadable;
}

/** https://postmarkapp.com/developer/api/bounce-api#bounce-types, and types of other services; null: not a bounce. */
const typeLists: readonly [Classified | null, string][] = [
  [hard, 'hardbounce hard permanent bademailaddress'],
  [soft, 'transient softbounce soft dnserror'],
  [policy, 'spamnotification virusnotification blocked dmarcpolicy manuallydeactivated smtpapierror'],
  [complaint, 'spamcomplaint spamreport complaint complained'],
  [null, 'autoresponder addresschange challengeverification subscribe unsubscribe openrelaytest open click'],
  [delivered, 'delivery delivered'],
  [null, 'deferred deferral delayed deliverydelay'],
];
const knownTypes = new Map(
  typeLists.flatMap(([classified, names]) => names.split(' ').map((name) => [name, classified])),
);

function readPostmark(event: Fields): MessageReading {
  const record = textAt(event, 'RecordType');
  const type = record === 'SpamComplaint' ? record : textAt(event, 'Type') || record;
  const reply = textAt(event, 'Details') || textAt(event, 'Description');
  const date = readDate(textAt(event, 'BouncedAt') || textAt(event, 'DeliveredAt'));
  const message_id = bareId(textAt(event, 'MessageID'));
  const address = textAt(event, 'Email') || textAt(event, 'Recipient');
  const bounces = bouncesOf(address, reply, { date, reporting_mta: '', message_id }, (address) =>
    classifyTyped(type, address, reply, null),
  );
  if (bounces.length === 0) return { type: /autoresponder/i.test(type) ? 'automatic' : 'other' };
  return { type: 'bounce', bounces, noticeId: textAt(event, 'ID') };
}

function knownType(type: string): Classified | null | undefined {
  return knownTypes.get(type.replace(/[^a-z]/gi, '').toLowerCase());
}

/** True if the type of an event says that a message was delivered or not, or that it was reported. */
export function namesOutcome(type: string): boolean {
  const known = knownType(type);
  return known === undefined ? /bounce|fail|undeliver|reject|drop|unknown/i.test(type) : known !== null;
}

/** Classifies by the reply, or else by the type that the sending service states; null if it is not a bounce. */
export function classifyTyped(
  type: string,
  recipient: string,
  reply: string,
  status: string | null,
): Classified | null {
  const known = knownType(type);
  if (known === null || known?.kind === 'complaint') return known;
  if (known?.kind === 'delivered') return { ...known, reply };
  const text = reply.replace(/^\s*[\w-]+\s*;\s*/, '');
  if (/^2\d\d\b/.test(text)) return null;
  const classified = classifyFailure({ recipient, text, status, remoteMta: '' });
  return classified.kind === 'unreadable' ? (known ?? unreadable) : classified;
}

/** A bounce for each address of a field, unless it is classified as null. Text that is not addresses is one unreadable bounce. */
export function bouncesOf(
  text: string,
  reply: string,
  common: Pick<Bounce, 'date' | 'reporting_mta' | 'message_id'>,
  classify: (address: string) => Classified | null,
): Omit<Bounce, 'source'>[] {
  const addresses = readRecipients(text, reply);
  return (addresses ?? ['']).flatMap((address) => {
    const classified = classify(address);
    return classified === null ? [] : [{ address, ...(address === '' ? unreadable : classified), ...common }];
  });
}

/** The addresses of a field; null if it is not certain what they are. SES may send `Name <address>`. */
function readRecipients(text: string, reply: string): string[] | null {
  const bare = /^(?:"[^"]*"\s*|[^<>@]*)<([^<>]+)>$/.exec(text.trim())?.[1] ?? text;
  const addresses = [...new Set(readAddresses(bare))];
  // An address outside of brackets may be a name: `a@x.org <b@x.org>`.
  const bracketCount = bare.split('<').length - 1;
  const isCertain = bracketCount === 0 || bracketCount === addresses.length;
  if (!isCertain || !addresses.every((address) => parseAddress(address).ok)) return null;
  if (addresses.length === 1) return addresses;
  // The field may have all recipients of a message, of which the reply names those that bounced.
  const named = new Set(findAddresses(reply).map((address) => address.toLowerCase()));
  const bounced = addresses.filter((address) => named.has(address.toLowerCase()));
  return bounced.length > 0 ? bounced : null;
}

const maxEventLength = 16 * 1024 * 1024;

/** The text of each object of a JSON array, of NDJSON or of a single object. A malformed one is returned unchanged, up to the end of its line. */
export async function* splitObjects(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let object = '';
  let depth = 0;
  let isInString = false;
  for await (const piece of pieces) {
    // A piece may end within an escape.
    const held = /\\+$/.exec(object.slice(-1_000))?.[0].length ?? 0;
    const text = object.slice(object.length - (held % 2)) + decoder.decode(piece, { stream: true });
    object = object.slice(0, object.length - (held % 2));
    let start = depth > 0 ? 0 : text.length;
    for (const { 0: char, index } of text.matchAll(/[{}"\n]|\\./gs)) {
      // JSON escapes line feeds in strings, so the object is malformed.
      const isBroken = isInString && char === '\n';
      if (char === '"') isInString = depth > 0 && !isInString;
      else if (char === '{' && !isInString && depth++ === 0) start = index;
      if ((char === '}' && !isInString && depth > 0 && --depth === 0) || isBroken) {
        yield object + text.slice(start, index + 1);
        [object, depth, isInString, start] = ['', 0, false, text.length];
      }
    }
    object += text.slice(start);
    if (object.length > maxEventLength) {
      yield object;
      [object, depth, isInString] = ['', 0, false];
    }
  }
  if (object !== '') yield object;
}
