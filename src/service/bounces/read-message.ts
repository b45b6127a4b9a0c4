import { parseAddress } from '../../engine/grammar/parse-address.js';
import type { Bounce } from '../../model/bounce.js';
import { type Classified, classifyFailure, unreadable } from './classify-failure.js';
import { bareId, type MessageReading, type Notice, parseNotice } from './parse-notice.js';
import { readDate } from './read-date.js';
import { type RecipientStatus, readDeliveryStatus, unfold } from './read-delivery-status.js';
import { parseJson, readEvent } from './read-events.js';
import { findRecipients, reasonFor } from './read-text.js';

/** A message without these words is not a notice. Only its beginning is searched. */
const noticeHints =
  /multipart\/report|message\/rfc822|sns\.amazonaws\.com|delivery-status|feedback-report|x-failed-recipients|mailer-daemon|post_?master|^return-path:\s*<>|^from:.*(?:mail|daemon|deliver|system|admin)|^subject:.*(?:deliver|fail|return|reject|undeliv|bounce|error|unzustell|remis|échec|entreg|consegn|=\?)|final-recipient|auto-submitted|remote host said|could ?n[o']t be delivered/im;
const searchedBytes = 32 * 1024;
const maxWrappers = 2;

/** Reads one message. Never throws: what cannot be parsed is one `unreadable` bounce. */
export async function readMessage(bytes: Buffer, depth = 0): Promise<MessageReading> {
  // The separator of an mbox is not part of the message.
  const start = bytes.toString('latin1', 0, searchedBytes).replace(/^From .*\n/, '');
  if (!noticeHints.test(start)) return { type: 'other' };
  let notice: Notice;
  try {
    notice = await parseNotice(withoutBody(bytes));
  } catch {
    return { type: 'bounce', bounces: [emptyBounce(unreadable)], noticeId: '' };
  }
  const noticeId = bareId(notice.email.messageId ?? '');
  const event = readMailedEvent(notice);
  if (event !== null) return event;
  const common = { date: readDate(notice.header('date')[0] ?? ''), message_id: messageIdOf(notice) };
  const found = readComplaint(notice) ?? readReport(notice) ?? readProse(notice);
  // A gateway may put a report into its own notice, and people forward reports.
  const isWrapper =
    found === 'other' ||
    (Array.isArray(found) && notice.deliveryStatus.length === 0 && found.every(({ kind }) => kind === 'unreadable'));
  const inner: Omit<Bounce, 'source'>[] = [];
  for (const message of isWrapper && depth < maxWrappers ? notice.attached : []) {
    const reading = await readMessage(Buffer.from(message), depth + 1);
    if (reading.type === 'bounce') inner.push(...reading.bounces);
  }
  if (inner.length > 0) return { type: 'bounce', bounces: inner, noticeId };
  if (!Array.isArray(found)) return { type: found };
  return {
    type: 'bounce',
    bounces: distinct(found).map((each) => ({ ...each, ...common, date: each.date || common.date })),
    noticeId,
  };
}

/** A notification of SES that SNS sent by mail. */
function readMailedEvent({ email, text }: Notice): MessageReading | null {
  if (!/@sns\.amazonaws\.com$/i.test(email.from?.address ?? '')) return null;
  const [event] = readEvent(parseJson(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)));
  // Anybody can send such mail, so a delivery in it is not believed.
  return event?.type === 'bounce' && event.bounces.every(({ kind }) => kind !== 'delivered') ? event : null;
}

const returnedType = /^content-type\s*:\s*(?:message\/rfc822|text\/rfc822-headers)/im;
/** Enough for the header of the returned message. */
const keptBytes = 32 * 1024;

/** Cuts the body of the returned message, which a report has last (RFC 6522, section 3). */
function withoutBody(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  const returnedAt = text.search(returnedType);
  const isAfterStatus = returnedAt !== -1 && /message\/delivery-status/i.test(text.slice(0, returnedAt));
  return isAfterStatus ? bytes.subarray(0, returnedAt + keptBytes) : bytes;
}

type FoundBounce = Omit<Bounce, 'source' | 'message_id'>;
type Found = FoundBounce[] | 'delay' | 'automatic' | 'other';

function emptyBounce(classified: Classified): Omit<Bounce, 'source'> {
  return { address: '', date: '', ...classified, reporting_mta: '', message_id: '' };
}

/** RFC 5965. A report that a message is not spam, or about authentication (RFC 6591), is not a complaint. */
function readComplaint(notice: Notice): Found | null {
  if (notice.feedback === null) return null;
  const fields = unfold(notice.feedback).map((line) => /^([\w-]+)\s*:\s*(.*)$/.exec(line));
  const values = (name: string): string[] =>
    fields.flatMap((field) => (field?.[1]?.toLowerCase() === name ? [field[2]?.trim() ?? ''] : []));
  if (/^(?:not-spam|auth-failure|virus)$/i.test(values('feedback-type')[0] ?? '')) return 'other';
  const named = ['original-rcpt-to', 'removal-recipient', 'x-removal-recipient']
    .flatMap(values)
    .map((value) => /[^\s<>;,]+@[^\s<>;,]+/.exec(value)?.[0] ?? '');
  const addresses = validAddresses(named);
  const mta = (values('reporting-mta')[0] ?? '').replace(/^\s*\w+\s*;\s*/, '');
  const complaint = { kind: 'complaint', status: '', sub_status: '', reply: '', reporting_mta: mta } as const;
  const recipients = addresses.length > 0 ? addresses : validAddresses(notice.original?.to ?? []);
  if (recipients.length === 0) return [{ ...emptyBounce(unreadable) }];
  return recipients.map((address) => ({ address, date: '', ...complaint }));
}

/** RFC 3464. Null if the notice has no such part with a recipient. */
function readReport(notice: Notice): Found | null {
  const isReceipt = notice.header('content-type').some((value) => /disposition-notification/i.test(value));
  if (isReceipt) return 'automatic';
  const recipients = notice.deliveryStatus.flatMap(readDeliveryStatus);
  if (recipients.length === 0) return null;
  const failed = recipients.filter((recipient) => hasFailed(recipient));
  if (failed.length === 0)
    return recipients.some(({ action }) => action === 'delayed' || action === '') ? 'delay' : 'other';
  const names = failed.map(({ address }) => address.toLowerCase());
  const lines = notice.text.split('\n');
  return failed.map((recipient) => {
    const [address] = validAddresses([recipient.address]);
    const { status, remoteMta, reportingMta, lastAttempt } = recipient;
    if (address === undefined) return { ...emptyBounce(unreadable), reporting_mta: reportingMta };
    const failure = { recipient: address, status, remoteMta };
    const direct = classifyFailure({ ...failure, text: recipient.diagnostic });
    const isSettled = direct.kind !== 'unreadable' && recipient.diagnostic !== '';
    const byText = isSettled
      ? direct
      : classifyFailure({ ...failure, text: reasonFor(address.toLowerCase(), lines, names) });
    const classified = byText.kind === 'unreadable' ? direct : byText;
    return { address, date: readDate(lastAttempt), ...classified, reporting_mta: reportingMta };
  });
}

/** RFC 3464, section 2.3.3, knows four other actions. Without one, the class of the status decides (RFC 3463, section 2). */
function hasFailed({ action, status }: RecipientStatus): boolean {
  if (action === '') return status?.startsWith('5') === true;
  return !['delayed', 'delivered', 'relayed', 'expanded'].includes(action);
}

const daemon =
  /mailer-?daemon|post_?master|mail ?delivery|mail(?:er)? (?:administrator|system|subsystem)|system administrator|delivery (?:sub)?system|mdaemon|bounce|mail\.?admin/i;
const failureSubject =
  /undeliver|not (?:be )?delivered|could(?: not|n't) be delivered|deliver\w* (?:has )?(?:fail|status|report|problem|notif|error|incomplete)|failure (?:notice|delivery)|mail (?:system error|failure|could)|fail(?:ed|ure).*(?:mail|message|deliver)|returned? (?:mail|message|to sender)|non[- ]?deliver|message (?:rejected|bounced|not)|unzustellbar|zustell|non (?:remis|distribu)|échec|no (?:se pudo|entregad)|devuelt|mancat[ao] (?:consegna|recapito)|não.{0,20}entreg|не ?доставлен|недоставлен|配信|退信|发送失败|傳送失敗/i;
const automaticSubject =
  /out[- ]of[- ](?:the[- ])?office|automat(?:ic|ed) (?:reply|response)|auto-?(?:reply|response|responder|antwort)|automatische antwort|vacation|abwesen|absence|away from|on leave|réponse automatique|respuesta autom|risposta automatica|resposta autom|fuera de la oficina|автоответ|自动回复|自動返信|自動回覆/i;
const delaySubject =
  /\bdelay|warning: (?:could not send|message)|still (?:being )?(?:re)?tr|not yet (?:been )?delivered|verz[öo]ger|retard/i;
const delayText =
  /warning message only|this is (?:only )?a warning|(?:will|shall) (?:continue to |keep )?(?:be )?(?:keep )?(?:re)?tr(?:y|ied|ying)|delivery attempts will continue|has been delayed|not yet been delivered|no action is required on your part|still trying/i;
const failureText =
  /(?:could|can|was|were|is|has|have|did|does)(?: not|n't|not)(?: yet)? (?:be(?:en)? )?(?:delivered?|reach|sent|able)|(?:unable|failed|failure|error).{0,60}deliver|deliver.{0,60}(?:fail|error|unsuccess)|undeliver|permanent (?:fatal )?error|rejected|returned (?:to sender|mail|message)|remote host said|fatal errors|gave up|giving up|did not reach|^(?:[<>-]+ ?)?5\d\d[ -]/im;

/** A notice in words only: qmail, Exim, old Exchange and others. */
function readProse(notice: Notice): Found {
  const { email, text } = notice;
  const subject = email.subject ?? '';
  const from = `${email.from?.name ?? ''} ${email.from?.address ?? ''}`;
  const hasNullSender = notice.header('return-path').some((value) => /^\s*<\s*>\s*$/.test(value));
  const isDeclared = notice.header('x-failed-recipients').length > 0;
  const isAnswer =
    automaticSubject.test(subject) ||
    notice.header('x-autoreply').length + notice.header('x-autorespond').length > 0 ||
    notice.header('precedence').some((value) => /auto_reply/i.test(value));
  if (isAnswer && !isDeclared) return 'automatic';
  const isFromDaemon = daemon.test(from) || isDeclared;
  const repliesItself = notice.header('auto-submitted').some((value) => /auto-replied/i.test(value));
  if (repliesItself && !isFromDaemon && !failureSubject.test(subject)) return 'automatic';
  if (!isFromDaemon && !failureSubject.test(subject) && !(hasNullSender && failureText.test(text))) return 'other';
  if (delaySubject.test(subject) || (delayText.test(text) && !/permanent|giving up|gave up|no longer/i.test(text)))
    return 'delay';
  const isFailure = isDeclared || failureSubject.test(subject) || failureText.test(text);
  if (!isFailure) return 'other';
  const recipients = findRecipients(notice).flatMap(({ address, reason }) =>
    validAddresses([address]).map((recipient) => ({ recipient, reason })),
  );
  if (recipients.length === 0) return [emptyBounce(unreadable)];
  return recipients.map(({ recipient, reason }) => {
    const failure = { recipient, status: null, remoteMta: '' };
    const byReason = classifyFailure({ ...failure, text: reason });
    const isAlone = recipients.length === 1 && byReason.kind === 'unreadable';
    const classified = isAlone ? classifyFailure({ ...failure, text }) : byReason;
    return { address: recipient, date: '', ...classified, reporting_mta: '' };
  });
}

/** The Message-ID of the returned message, or the one that the notice answers. */
function messageIdOf(notice: Notice): string {
  const candidates = [
    notice.original?.messageId ?? '',
    ...['x-original-message-id', 'in-reply-to', 'references'].flatMap((name) => notice.header(name)),
  ];
  return bareId(candidates.map((value) => value.trim().split(/\s+/)[0] ?? '').find((value) => value !== '') ?? '');
}

function validAddresses(texts: readonly string[]): string[] {
  return texts.filter((text) => text !== '' && parseAddress(text).ok);
}

function distinct(bounces: readonly FoundBounce[]): FoundBounce[] {
  const seen = new Set<string>();
  return bounces.filter(({ address }) => {
    const key = address.toLowerCase();
    const isNew = address === '' || !seen.has(key);
    seen.add(key);
    return isNew;
  });
}
