import { expect, test } from 'vitest';
import type { SmtpReply } from '../../../src/model/evidence.js';
import { readReply } from '../../../src/net/replies/read-reply.js';
import { parseReply } from '../../../src/net/smtp/reply-parser.js';

const echo = {
  recipient: 'ghost@example.com',
  ourIp: '192.0.2.1',
  ourName: 'mail.example.org',
  senders: ['', 'probe@example.org'],
};

const read = (text: string) => readReply(parseReply(text, 'rcpt') as SmtpReply, echo);

const ours = [
  'your IP address',
  'your address',
  'your account',
  'your mailbox',
  'the sender',
  "the sender's mailbox",
  'sender account',
  'sending domain',
  'the sending account',
  'client',
  'client address',
  'connecting host',
  'originating address',
  'from address',
  'return address',
  'source address',
  'the authenticated user',
  'PTR record',
  'HELO hostname',
  'the submitter',
  '<probe@example.org>',
  'the bounce address',
  'address 192.0.2.1',
];
const states = [
  '{} unknown',
  '{} is not known here',
  '{} not found',
  '{} does not exist',
  "{} doesn't exist",
  '{} cannot be found',
  '{} no longer exists',
  'nonexistent {}',
  '{} is not valid',
  '{} does not have an account here',
  '{} has no mailbox here',
  '{} suspended',
  '{} has been disabled',
  '{} is inactive',
  '{} deactivated',
  '{} closed',
  '{} has been deleted',
  '{} over quota',
  '{} is full',
  '{} not allowed',
  '{} rejected',
];

test.each(ours)('a statement about %s is not about the mailbox', (subject) => {
  for (const state of states) {
    const text = state.replace('{}', subject);
    const { reason, vague } = read(`550 ${text}`);
    expect(`${text}: ${reason}${vague ? ', the controls decide' : ''}`).not.toMatch(/: mailbox_|controls/);
  }
});

test.each([
  'TLS is disabled',
  'certificate does not exist',
  'This feature has been deactivated',
  'the record no longer exists',
  'SPF record for the domain not found',
  'nonexistent hostname',
  'Connection closed due to inactivity',
  'could not find recipient map',
  'LDAP user lookup: server not found',
  'mailbox format unknown',
  'user lookup failed: unknown error',
  'invalid user name or password',
  'Invalid user agent',
  'unknown recipient policy',
  'Unknown user in From header',
  'unknown user connecting from 192.0.2.1',
  'No mailbox for the sender',
  'could not find address for mail.example.org',
  'no such address for [192.0.2.1]',
  'unknown address 192.0.2.1',
  'mail.example.org does not exist',
  '[192.0.2.1] is unknown',
  'The Reply-To address is invalid',
  'The account you are using to send is suspended',
  'the mailbox you are sending from does not exist',
  'mailbox locked by a POP3 session',
  'user not found because the directory is unavailable',
])('%s proves nothing about a mailbox by itself', (text) => {
  expect(read(`550 ${text}`).reason).not.toMatch(/^mailbox_/);
});

/** Invented, with their opposites below. Each is a reply for an existing mailbox. */
test.each([
  '550 5.1.1 The mailbox you are writing from does not exist',
  '550 5.7.1 We rejected this because the account you used to send has been disabled',
  '550 the mailbox that sent this message is unknown to its own server',
  '550 Callout to your domain said: no such user',
  '550 We tried to reply to you and got "550 user unknown"',
  '550 ghost@example.com is fine, but probe@example.org does not exist',
  '550 Authentication failed, username unknown',
  '550 Your credentials belong to a deleted account',
  '550 TLS required: no mailbox is served in clear text',
  '550 It is not known whether this mailbox exists',
  '550 Possibly no such user, the check timed out',
  '550 5.1.1 Unable to look up ghost@example.com: LDAP server unreachable',
  '550 5.1.1 User lookup failed: connection refused',
  '550 5.1.1 Recipient verification backend timed out',
  '550 user unknown: temporary failure of alias database',
  '550 5.1.1 Try again in 10 minutes, user lookup is being rebuilt',
  '550 5.1.1 Login first',
  '550 5.1.1 You may not write to this user',
  '550 5.1.1 Service for your country is disabled',
  '550 Account verification is disabled',
  '550 All backends for this user are disabled',
  '550 Device of this mailbox not found',
  '550 User preferences not found',
  '550 User status unknown',
  '550 dynamic address not valid',
  "550 The delegate's mailbox is disabled",
  '550 Earlier recipient was unknown, no more recipients are taken in this session',
  '550 Bad list hygiene, many of your recipients do not exist',
  '550 External mail for this user is disabled',
  '550 Mailbox exists, but delivery from foreign hosts is disabled',
  '550 User deactivated receipt of newsletters',
  '550 user unknown (ldap: server down)',
  '550 Recipient unknown or your IP is blocked',
  '550 This may be an invalid address',
  "550 User ghost doesn't have a valid shell for mailing to programs",
  "550 This user doesn't have the right to post here",
  '550 Not found in our whitelist',
  '550 Not found on the list of approved senders',
  '550 No user specified',
  '550 No user authentication',
  '550 нет адреса отправителя',
  '550 нет PTR-записи адреса',
  '550 Nobody here wants your mail',
  '550 Your mailing list is not monitored',
  '550 This address does not take mail from your country',
  '550 5.1.1 This mailbox does not take mail over IPv6',
  '550 Alamat pengirim tidak ditemukan',
  '550 domain pengirim tidak terdaftar',
  '550 您的域名未在本系统注册',
  '550 该服务器未在本系统注册',
  '550 5.1.3 HELO host name must not begin with a dot',
  '550 Recipient might be unknown',
  '550 Account has external delivery disabled',
  "550 Recipient's account requires that inactive senders confirm",
  '550 5.1.10 Your domain has null MX',
  '556 No mail accepted from your domain, it has a null MX',
  '550 No such user at your site',
  "550 Sender's server answers 550 no such user",
  '550 Your abuse mailbox does not exist',
  '550 The account you logged in with has expired',
  '550 Header To: invalid address',
  '550 invalid address in Cc header',
  '550 mailbox delivery agent not found',
  '550 Config file for this user is not found',
  '550 The recipient has removed you from their contacts',
  '550 User refuses mail of people not found in the address book',
  '550 User not found within 10 seconds',
  '550 IP-adres bestaat niet',
  '550 Der Server ist deaktiviert',
  "550 L'enregistrement n'existe pas",
  '550 El servicio no existe',
  '550 Il vostro server non esiste',
  '550 Usługa nie istnieje',
  '550 Служба не существует',
  '550 Sunucu mevcut değil',
  '550 服务器不存在',
  '550 未知IP地址',
  '550 サーバーが見つかりません',
  '550 서버를 찾을 수 없습니다',
  '550 존재하지 않는 도메인',
  '550 Verification of <probe@example.org> failed: 550 5.1.1 user unknown',
  '550 Sender <probe@example.org> could not be verified: 550 5.1.1 no such user',
  '550 Refused. Invalid user ratio too high',
  '550 Recipient domain is unknown here',
  '535 5.7.8 no such user',
  '530 unknown user, sign in first',
  '550 5.1.1 Rejected relay attempt',
  '554 5.7.1 Account suspended for sending spam',
  '550 Account disabled for outgoing mail',
  '502 5.7.0 Your SMTP account is not yet activated. Please contact us',
  '550 SMTP service disabled for this account, enable it in the settings',
  '554 5.7.1 Login user not found',
  '550 5.1.1 Message is infected',
  "550 5.1.1 Recipient doesn't want your mail",
  "550 user table doesn't exist",
])('%s is about a mailbox that may exist', (text) => {
  const reply = parseReply(text, 'rcpt') as SmtpReply;
  const everybody = { random: reply, knownMailbox: { mailbox: 'postmaster' as const, reply } };
  for (const context of [echo, { ...echo, ...everybody }])
    expect(readReply(reply, context).reason).not.toMatch(/^(?:mailbox_|does_not)/);
});

test.each([
  '550 user unknown (ldap: server down)',
  '550 5.1.1 User lookup failed: connection refused',
  '550 5.1.1 Unable to contact the server that holds this mailbox',
])('%s proves nothing although postmaster is accepted, since postmaster is known without a lookup', (text) => {
  const reply = parseReply(text, 'rcpt') as SmtpReply;
  const known = { mailbox: 'postmaster' as const, reply: parseReply('250 ok', 'rcpt') as SmtpReply };
  expect(readReply(reply, { ...echo, random: reply, knownMailbox: known }).reason).toBe('mail_server_temporary_error');
});

const closed = [
  'is disabled',
  'is closed',
  'is not accepting any mail',
  'is not allowed to receive mail',
  'has suspended mail',
];
const toSome = [
  'from your domain',
  'for external senders',
  'to outside senders',
  'with attachments',
  'of this size',
  'without TLS',
  'from unknown senders',
  'unless you authenticate',
  'because of your reputation',
  'due to a filter',
];

test.each(toSome)('a mailbox that is closed %s is not read as closed', (which) => {
  for (const subject of ['The user', 'recipient', 'this mailbox', 'ghost', 'this address'])
    for (const state of closed) {
      const text = `${subject} ${state} ${which}`;
      expect(`${text}: ${read(`550 ${text}`).reason}`).not.toMatch(/: (?:mailbox_|does_not)/);
    }
});

test.each([
  ['556 The number of RCPTs is over size', 'rate_limited'],
  ['556 Unfit for purpose', 'antispam_system'],
  ['556', 'does_not_accept_mail'],
  ['556 this server does not accept mail', 'does_not_accept_mail'],
  ['556 this server does not accept mail from you', 'antispam_system'],
  ['550 this account is not allowed to receive mail', 'mailbox_disabled'],
  ['550 This account was closed for inactivity', 'mailbox_disabled'],
  ['550 account locked by administrator', 'mailbox_disabled'],
  ['550 due to inactivity new mail is not accepted for this mailbox', 'mailbox_disabled'],
  ['550 Mail from probe@example.org to ghost@example.com: no such user', 'mailbox_not_found'],
  ['550 Hello probe@example.org, the account you are writing to does not exist', 'mailbox_not_found'],
  ['550 The user was not found on the server', 'mailbox_not_found'],
  ['550 Hello mail.example.org [192.0.2.1], no such user here', 'mailbox_not_found'],
  ['550 5.1.1 user unknown [192.0.2.1]', 'mailbox_not_found'],
  ['550 Invalid user name', 'mailbox_not_found'],
  ['550 The address you are sending to does not exist', 'mailbox_not_found'],
  ['550 This person no longer exists here', 'mailbox_not_found'],
  ['550 We have no such user for this domain', 'mailbox_not_found'],
  ['550 Your recipient address does not exist', 'mailbox_not_found'],
  ['550 We could not deliver your mail: no such user', 'mailbox_not_found'],
  ["550 Our server doesn't know: unknown user", 'mailbox_not_found'],
  ['550 No such user on this server', 'mailbox_not_found'],
  ['550 The account that you tried to reach is disabled', 'mailbox_disabled'],
  ['550 The user on this host is disabled', 'mailbox_disabled'],
  ['550 local server: user has too many messages on the server', 'mailbox_quota_exceeded'],
  ['550 5.1.1 The mailbox you are writing to does not exist', 'mailbox_not_found'],
  ['550 Callout to internal server said: no such user', 'mailbox_not_found'],
  ['550 Delivery failed, username unknown', 'mailbox_not_found'],
  ['550 Cannot find recipient in the user database', 'mailbox_not_found'],
  ['550 Mailbox not found in database', 'mailbox_not_found'],
  ['550 user unknown (ldap: no entry)', 'mailbox_not_found'],
  ['550 Remote server error: mailbox not found', 'mailbox_not_found'],
  ['550 This is an invalid address', 'mailbox_not_found'],
  ['550 5.1.1 ghost@example.com not found on LDAP server', 'mailbox_not_found'],
  ['550 user unknown in alias database', 'mailbox_not_found'],
  ['550 5.1.1 Your message cannot be delivered', 'mailbox_not_found'],
  ['550 5.1.1 Service for this user is disabled', 'mailbox_disabled'],
  ['550 Account is disabled', 'mailbox_disabled'],
  ['550 User deactivated', 'mailbox_disabled'],
  ['550 Recipient address is disabled', 'mailbox_disabled'],
  ['550 Der Benutzer, mit dem Sie Kontakt wünschen, existiert nicht', 'mailbox_not_found'],
  ['556 No mail accepted for this domain, it has a null MX', 'does_not_accept_mail'],
  ['552 The server is out of space', 'mail_server_temporary_error'],
  ['550 5.7.1 your account quota exceeded', 'rate_limited'],
  ['550 user has been removed from the system', 'mailbox_disabled'],
  ['550 mail service has been discontinued for this user', 'mailbox_disabled'],
  ['550 The address in your message does not exist', 'mailbox_not_found'],
  ['550 Der Benutzer existiert nicht', 'mailbox_not_found'],
  ["550 Cette adresse n'existe pas", 'mailbox_not_found'],
  ['550 您发送的收件人不存在', 'mailbox_not_found'],
  ['550 ユーザーが見つかりません', 'mailbox_not_found'],
  ['452 4.3.1 insufficient storage', 'mail_server_temporary_error'],
])('%s → %s', (text, reason) => {
  expect(read(text).reason).toBe(reason);
});

test.each([
  ['550 brugeren findes ikke', 'mailbox_not_found'],
  ['550 destinatarul nu există', 'mailbox_not_found'],
  ['550 Alamat email ini tidak terdaftar', 'mailbox_not_found'],
  ['550 사용자 알 수 없음', 'mailbox_not_found'],
  ['550 Dirección de entrada no configurada', 'mailbox_not_found'],
  ['501 5.1.3 domain of mail address is syntactically incorrect', 'mailbox_not_found'],
])('a missing mailbox in few or other words: %s', (text, reason) => {
  expect(read(text).reason).toBe(reason);
});

test.each([
  // Any word may name an address of the client.
  '550 Unknown origin address',
  '550 Unknown mailer address',
  '550 Unknown posting address',
  '550 Unknown remote address',
  '550 Unknown return address',
  '550 Unknown forwarding address',
  '550 no such submission alias',
  '550 Unknown verified address',
  '550 Unknown sender mailbox',
  '550 Unknown problem with this mailbox',
  '550 avsenderens adresse finnes ikke',
  '550 din konto finnes ikke',
  '550 vaša adresa ne postoji',
  '550 su dirección no configurada',
  '550 dirección IP no configurada',
  '550 발신자 알 수 없음',
  '550 Ihre Adresse ist nicht eingerichtet',
  '550 alamat Anda tidak terdaftar',
  '550 akun pengirim dinonaktifkan',
  '550 adressen finns inte i vår vitlista',
  '550 5.7.1 Service unavailable; this account has been disabled',
  '550 5.2.1 Service unavailable, account disabled',
  '550 5.1.3 Invalid address: recipient list exceeds the maximum',
  '555 5.5.4 Unknown RCPT TO:<> parameter: NOTIFY=NEVER',
])('no proof of a missing mailbox: %s', (text) => {
  expect(['mailbox_not_found', 'mailbox_disabled']).not.toContain(read(text).reason);
});

test.each([
  ['501 5.1.3 where is <...> in that?', 'exception_occurred'],
  ['553 5.1.0 imbalanced angle brackets in path', 'exception_occurred'],
  ['555 5.5.4 Unknown RCPT TO:<> parameter: NOTIFY=NEVER', 'exception_occurred'],
  ['550 API error: 503', 'mail_server_temporary_error'],
  ['550 5.5.0 Internal delivery error', 'mail_server_temporary_error'],
  ['550 Service misconfigured', 'mail_server_temporary_error'],
  ['550 Database is full', 'mail_server_temporary_error'],
  ['550 Backend processing failed with status: 502', 'mail_server_temporary_error'],
  ['550 Could not deliver to that inbox, please retry', 'mail_server_temporary_error'],
  ['550 Message could not be forwarded', 'mail_server_temporary_error'],
  ['550 La messagerie est temporairement indisponible', 'mail_server_temporary_error'],
  ['550 Bitte versuchen Sie es später', 'mail_server_temporary_error'],
  ['453 4.4.3 Policy analysis reports temporary DNS error', 'mail_server_temporary_error'],
  ['550 Bandwidth limit exceeded', 'rate_limited'],
  ['550 Tageslimit erreicht', 'rate_limited'],
])('a fault of the host, a limit or a command: %s → %s', (text, reason) => {
  expect(read(text).reason).toBe(reason);
});
