import { expect, test } from 'vitest';
import type { SmtpStage } from '../../../src/model/evidence.js';
import { readReply } from '../../../src/net/replies/read-reply.js';
import type { ReadingReason } from '../../../src/net/replies/reading.js';
import { parseReply } from '../../../src/net/smtp/reply-parser.js';

const recipient = 'ghost@example.com';

/** A refusal that needs the answers for the two control mailboxes. */
const compared = 'compared';

function read(text: string, stage: SmtpStage): ReadingReason | typeof compared {
  const reply = parseReply(text, stage);
  if (reply === null) throw new Error(`no reply: ${text}`);
  const { reason, vague } = readReply(reply, { recipient, ourIp: '192.0.2.1', ourName: 'probe.example.net' });
  return vague ? compared : reason;
}

type Fact = [host: string, text: string, reason: ReadingReason | typeof compared, stage?: SmtpStage];

test.each<Fact>([
  ['Exim', '550 Unrouteable address', 'mailbox_not_found'],
  ['Exim', '550 Unknown user', 'mailbox_not_found'],
  ['Exim', '550 relay not permitted', 'antispam_system'],
  ['Exim', '550 Administrative prohibition', 'antispam_system'],
  ['Exim', '550 rejected because 192.0.2.1 is in a black list at zen.spamhaus.org', 'antispam_system'],
  ['Exim', '451 Could not complete recipient verify callout', 'mail_server_temporary_error'],
  ['Exim', '451 Could not complete sender verify callout', 'mail_server_temporary_error'],
  ['Exim', '451 Temporary local problem - please try later', 'mail_server_temporary_error'],
  ['Exim', '451 Sender rate exceeds 10 messages per 1h', 'rate_limited'],
  ['Exim', '550 Too many failed recipients - count = 3', 'rate_limited'],
  ['Exim', '452 too many recipients', 'session_limit'],
  ['Exim', '550 encryption required', 'antispam_system'],
  [
    'Exim',
    '550-Callout verification failed:\n550 550 5.1.1 <ghost@example.com>: Recipient address rejected: User unknown',
    'mailbox_not_found',
  ],
  [
    'Exim',
    '550-Verification failed for <probe@example.net>\n550-Unrouteable address\n550 Sender verify failed',
    'sender_rejected',
  ],
  [
    'Exim',
    '550-Callback setup failed while verifying <probe@example.net>\n550-The initial connection, or a HELO was rejected.\n550 Sender verify failed',
    'sender_rejected',
  ],
  [
    'greylistd',
    '451-192.0.2.1 is not yet authorized to deliver mail from\n451 <probe@example.net> to <ghost@example.com>. Please try later.',
    'greylisted',
  ],
  ['cPanel', '550 No Such User Here', 'mailbox_not_found'],
  ['cPanel', '550 Mailbox quota exceeded', 'mailbox_quota_exceeded'],
  ['cPanel', '550-HELO should be a FQDN or address literal (See RFC 2821 4.1.1.1)\n550 x', 'sender_rejected'],
  [
    'cPanel',
    '550-Please turn on SMTP Authentication in your mail client.\n550-probe.example.net [192.0.2.1] is not permitted to relay\n550 through this server without authentication.',
    'antispam_system',
  ],
  ['OpenSMTPD', '550 Invalid recipient: <ghost@example.com>', 'mailbox_not_found'],
  ['OpenSMTPD', '524 5.2.4 Mailing list expansion problem: <ghost@example.com>', compared],
  ['OpenSMTPD', '424 4.2.4 Mailing list expansion problem: <ghost@example.com>', 'mail_server_temporary_error'],
  ['OpenSMTPD', '451 Temporary failure: <ghost@example.com>', 'greylisted'],
  ['OpenSMTPD', '501 5.1.3 Recipient address syntax error', 'mailbox_not_found'],
  ['sendmail', '550 5.1.1 <ghost@example.com>... User unknown', 'mailbox_not_found'],
  ['sendmail', '550 5.0.0 <ghost@example.com>... No such user here', 'mailbox_not_found'],
  ['sendmail', '550 5.7.1 <ghost@example.com>... Relaying denied', 'antispam_system'],
  [
    'sendmail',
    '550 5.7.1 <ghost@example.com>... Relaying denied. IP name lookup failed [192.0.2.1]',
    'needs_reverse_dns',
  ],
  ['sendmail', '550 5.7.1 Rejected: 192.0.2.1 listed at zen.spamhaus.org', 'antispam_system'],
  ['sendmail', '550 5.2.1 <ghost@example.com>... Mailbox disabled for this recipient', 'mailbox_disabled'],
  ['sendmail', '451 4.1.8 Domain of sender address probe@example.net does not resolve', 'sender_rejected'],
  ['sendmail', '452 4.5.3 Too many recipients', 'session_limit'],
  ['sendmail', '421 4.3.2 Connection rate limit exceeded.', 'rate_limited'],
  ['sendmail', '551 5.7.1 User has moved; please try <other@example.net>', 'mailbox_not_found'],
  ['Courier', '550 User unknown.', 'mailbox_not_found'],
  ['Courier', '513 Relaying denied.', 'antispam_system'],
  ['Courier', '517 Domain does not exist: example.net.', 'sender_rejected'],
  ['Courier', '432 Mailbox is over its quota', 'mailbox_quota_exceeded'],
  ['qmail', '553 sorry, that domain isn’t in my list of allowed rcpthosts (#5.7.1)', 'antispam_system'],
  ['qmail', '553 sorry, your envelope recipient is in my badrcptto list (#5.7.1)', 'antispam_system'],
  ['chkuser', '550 5.1.1 sorry, no mailbox here by that name (chkuser)', 'mailbox_not_found'],
  ['chkuser', '511 sorry, no mailbox here by that name (#5.1.1 - chkuser)', 'mailbox_not_found'],
  ['chkuser', '550 sorry, mailbox is over quota (#5.2.2 - chkuser)', 'mailbox_quota_exceeded'],
  ['Postfix', '454 4.7.1 <ghost@example.com>: Relay access denied', 'antispam_system'],
  ['Postfix', '450 4.7.1 Error: too much mail from 192.0.2.1', 'rate_limited'],
  [
    'Postfix',
    '550 5.1.1 <ghost@example.com>: Recipient address rejected: undeliverable address: host 192.0.2.9 said: 550 5.1.1 User unknown',
    'mailbox_not_found',
  ],
  [
    'Postfix',
    '550 5.1.0 <probe@example.net>: Sender address rejected: User unknown in virtual mailbox table',
    'sender_rejected',
  ],
  ['Dovecot', '552 5.2.2 <ghost@example.com> Quota exceeded (mailbox for user is full)', 'mailbox_quota_exceeded'],
  ['Dovecot', '550 5.1.1 <ghost@example.com> User doesn’t exist: ghost@example.com', 'mailbox_not_found'],
  ['Cyrus', '452 4.2.2 Over quota SESSIONID=<mx-1>', 'mailbox_quota_exceeded'],
  ['Exchange', '550 5.1.1 RESOLVER.ADR.RecipNotFound; not found', 'mailbox_not_found'],
  ['Exchange', '422 The recipient mailbox has exceeded its storage limit', 'mailbox_quota_exceeded'],
  ['Exchange', '550 5.7.1 Client was not authenticated', 'antispam_system'],
  ['Domino', '550 ghost@example.com... No such user', 'mailbox_not_found'],
  ['MDaemon', '550 <ghost@example.com>, Recipient unknown', 'mailbox_not_found'],
  ['MailEnable', '550 Requested action not taken: mailbox unavailable or not local', 'antispam_system'],
  [
    'MailEnable',
    '503 This mail server requires authentication when attempting to send to a non-local e-mail address.',
    'antispam_system',
  ],
  ['hMailServer', '550 Unknown user', 'mailbox_not_found'],
  ['hMailServer', '550 Delivery is not allowed to this address.', compared],
  ['Kerio Connect', '550 5.1.1 User unknown', 'mailbox_not_found'],
  ['CommuniGate', '550 ghost unknown user account', 'mailbox_not_found'],
  ['Apache James', '550 5.7.1 Unknown user: ghost@example.com', 'mailbox_not_found'],
  ['Haraka', '550 I cannot deliver mail for <ghost@example.com>', compared],
  ['Zimbra', '550 5.1.1 <ghost@example.com>: Recipient address rejected: example.com', 'mailbox_not_found'],
])('replies of mail servers to RCPT: %s: %s → %s', (_host, text, reason, stage = 'rcpt') => {
  expect(read(text, stage)).toBe(reason);
});

test.each<Fact>([
  [
    'Gmail',
    '550-5.1.1 The email account that you tried to reach does not exist.\n550 5.1.1 NoSuchUser - gsmtp',
    'mailbox_not_found',
  ],
  ['Gmail', '550 5.2.1 The email account that you tried to reach is inactive. - gsmtp', 'mailbox_disabled'],
  [
    'Gmail',
    '452-4.2.2 The recipient’s inbox is out of storage space.\n452 4.2.2 OverQuotaTemp - gsmtp',
    'mailbox_quota_exceeded',
  ],
  [
    'Gmail',
    '450-4.2.1 The user you are trying to contact is receiving mail at a rate that\n450 4.2.1 prevents more',
    'accepted',
  ],
  ['Gmail', '421-4.7.28 Our system has detected an unusual rate of mail.\n421 4.7.28 - gsmtp', 'rate_limited'],
  [
    'Gmail',
    '550-5.7.25 The IP address sending this message does not have a PTR record\n550 5.7.25 setup',
    'needs_reverse_dns',
  ],
  [
    'Gmail',
    '550-5.7.26 This mail has been blocked because the sender is unauthenticated.\n550 5.7.26 - gsmtp',
    'sender_rejected',
  ],
  [
    'Exchange Online',
    '550 5.4.1 Recipient address rejected: Access denied. AS(201806281) [X.eop]',
    'mailbox_not_found',
  ],
  ['Exchange Online', '550 5.7.606 Access denied, banned sending IP [192.0.2.1].', 'antispam_system'],
  ['Exchange Online', '550 5.7.511 Access denied, banned sender[192.0.2.1].', 'antispam_system'],
  ['Exchange Online', '550 5.7.64 TenantAttribution; Relay Access Denied', 'antispam_system'],
  ['Exchange Online', '451 4.7.500 Server busy. Please try again later from [192.0.2.1]. (S77714)', 'rate_limited'],
  ['Exchange Online', '451 4.4.62 Mail sent to the wrong Office 365 region. ATTR35.', 'mail_server_temporary_error'],
  [
    'Exchange Online',
    '451 4.7.650 The mail server [192.0.2.1] has been temporarily rate limited due to IP reputation.',
    'antispam_system',
  ],
  ['Outlook.com', '550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302).', compared],
  ['Outlook.com', '550 5.7.1 part of their network is on our block list (S3140).', 'antispam_system', 'mail'],
  ['Outlook.com', '550 5.7.1 part of their network is on our block list (S3150).', 'antispam_system', 'banner'],
  ['Yahoo', '554 delivery error: dd Not a valid recipient - atlas.yahoo.com', 'mailbox_not_found'],
  ['Yahoo', '552 1 Requested mail action aborted, mailbox not found', 'mailbox_not_found'],
  [
    'Yahoo',
    '421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints',
    'antispam_system',
    'mail',
  ],
  [
    'Yahoo',
    '553 5.7.1 [BL21] Connections will not be accepted from 192.0.2.1, because the ip is in Spamhaus’s list',
    'antispam_system',
    'banner',
  ],
  ['iCloud', '550 5.1.1 <ghost@icloud.com>: user does not exist', 'mailbox_not_found'],
  ['iCloud', '552 5.2.2 <ghost@icloud.com>: user is over quota', 'mailbox_quota_exceeded'],
  ['GMX', '550 Requested action not taken: mailbox unavailable', compared],
  [
    'GMX',
    '550-Requested action not taken: mailbox unavailable\n550 invalid DNS MX or A/AAAA resource record',
    'sender_rejected',
  ],
  [
    'GMX',
    '554-No SMTP service\n554-IP address is block listed.\n554 For explanation visit the help page',
    'antispam_system',
    'banner',
  ],
  [
    'WEB.DE',
    '554-No SMTP service\n554-Bad DNS PTR resource record.\n554 For explanation visit the help page',
    'needs_reverse_dns',
    'banner',
  ],
  ['T-Online', '554 IP=192.0.2.1 - None/bad reputation. Ask your postmaster for help', 'antispam_system', 'banner'],
  [
    'mail.ru',
    '550 Message was not accepted -- invalid mailbox. Local mailbox ghost@mail.ru is unavailable: user not found',
    'mailbox_not_found',
  ],
  [
    'mail.ru',
    '550 Message was not accepted -- invalid mailbox. Local mailbox ghost@mail.ru is unavailable: account is disabled',
    'mailbox_disabled',
  ],
  ['mail.ru', '550 We do not accept mail from dynamic IPs', 'antispam_system', 'banner'],
  ['Yandex', '550 5.7.1 No such user!', 'mailbox_not_found'],
  // QQ also says this for senders that are too frequent: https://service.mail.qq.com/detail/122/166
  ['QQ', '550 Mailbox unavailable or access denied', 'antispam_system'],
  ['QQ', '550 Mailbox not found. https://service.mail.qq.com', 'mailbox_not_found'],
  ['QQ', '550 Suspected bounce attacks', 'antispam_system'],
  ['QQ', '550 Connection frequency limited', 'rate_limited'],
  ['163', '550 User not found: ghost@163.com', 'mailbox_not_found'],
  ['163', '550 User suspended', 'mailbox_disabled'],
  ['163', '553 Requested action not taken: NULL sender is not allowed', 'sender_rejected', 'mail'],
  [
    'Orange',
    '550 5.1.1 Adresse d au moins un destinataire invalide. Invalid recipient. OFR204_416',
    'mailbox_not_found',
  ],
  ['Free', '550 5.7.1 too many spams from your IP (192.0.2.1)', 'rate_limited'],
  ['Zoho', '550 5.1.1 User does not exist - <ghost@example.com>', 'mailbox_not_found'],
  ['Zoho', '550 5.1.1 Email account is inactive', 'mailbox_disabled'],
  ['Amazon WorkMail', '550 5.1.1 Requested action not taken: mailbox unavailable', 'mailbox_not_found'],
  ['OVH', '550 5.1.1 <ghost@example.com>: Recipient address rejected: User unknown', 'mailbox_not_found'],
  ['Mimecast', '550 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#550', 'mailbox_not_found'],
  [
    'Mimecast',
    '451 Internal resource temporarily unavailable - https://community.mimecast.com/docs/DOC-1369#451',
    'greylisted',
  ],
  ['Mimecast', '550 csi.mimecast.org Poor Reputation Sender. - https://community.mimecast.com', 'antispam_system'],
  [
    'Barracuda',
    '550 permanent failure for one or more recipients (ghost@example.com:550 5.1.1 User unknown)',
    'mailbox_not_found',
  ],
  [
    'Barracuda',
    '554 Service unavailable; Client host [192.0.2.1] blocked using Barracuda Reputation',
    'antispam_system',
    'banner',
  ],
  ['IronPort', '550 #5.1.0 Address rejected.', 'mailbox_not_found'],
  [
    'IronPort',
    '554 Your access to this mail system has been rejected due to the sending MTA’s poor reputation.',
    'antispam_system',
    'banner',
  ],
  ['Proofpoint', '550 5.1.1 <ghost@example.com>... User unknown', 'mailbox_not_found'],
  ['Proofpoint', '554 Blocked - see https://ipcheck.proofpoint.com/?ip=192.0.2.1', 'antispam_system', 'banner'],
  ['Symantec', '550 Invalid recipient <ghost@example.com> (#5.1.1)', 'mailbox_not_found'],
  ['Symantec', '553-SPF (Sender Policy Framework) domain authentication\n553 fail.', 'sender_rejected'],
  ['Trend Micro', '550 5.7.1 <ghost@example.com>: Recipient address rejected: ERS-QIL.', 'antispam_system'],
  ['Sophos', '550 5.1.1 Recipient address rejected: user not found', 'mailbox_not_found'],
])('replies of providers and gateways: %s: %s → %s', (_host, text, reason, stage = 'rcpt') => {
  expect(read(text, stage)).toBe(reason);
});

test.each([
  'confirm this mail server',
  'please use the smarthost of your provider',
  'sender is not pre-approved',
  'we do not take bounces',
  'TLS required',
  'directory harvest attack detected',
  'not whitelisted',
  'protocol violation',
  'host not welcome',
  'this country is blocked by GeoIP',
  'authentication failure',
  'Forbidden',
])('a clear refusal of the client is never compared with a random mailbox: 550 %s', (words) => {
  expect(['antispam_system', 'sender_rejected']).toContain(read(`550 ${words}`, 'rcpt'));
});
