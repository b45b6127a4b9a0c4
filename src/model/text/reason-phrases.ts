import type { SubStatus } from '../verdict.js';
import type { RemoteSubStatus } from './sentences.js';

const phrases: Record<SubStatus | RemoteSubStatus, string> = {
  '': 'the mail server accepted the mailbox',
  alias_address: 'a tag of a mailbox that exists',
  not_probed: 'the mailbox itself was not asked',
  delivered: 'our own mail reached it',
  failed_syntax_check: 'not an email address',
  reserved_domain: 'the domain is reserved',
  no_dns_entries: 'no such domain, or no mail server',
  does_not_accept_mail: 'the domain takes no mail',
  unroutable_ip_address: 'its mail server cannot be reached',
  mailbox_not_found: 'the mailbox does not exist',
  mailbox_disabled: 'the mailbox is switched off',
  smtputf8_unsupported: 'its mail server takes only ASCII',
  unlikely_to_accept_mail: 'the domain seems to take no mail',
  disposable: 'a throw-away address',
  mailbox_quota_exceeded: 'the mailbox is full',
  catch_all: 'the domain accepts every address',
  role_based_catch_all: 'a role; every address is accepted',
  role_based: 'a role, not a person',
  possible_typo: 'looks like a typing slip',
  possible_trap: 'may be a trap for senders',
  toxic: 'known for abuse or bots',
  spamtrap: 'a spam trap',
  abuse: 'reports mail as spam',
  greylisted: 'the mail server said: try later',
  rate_limited: 'the mail server was asked too often',
  mail_server_temporary_error: 'the mail server had a problem',
  several_addresses: 'more than one address',
  unknown_encoding: 'in an unknown encoding',
  antispam_system: 'the mail server refused us',
  restricted_recipient: 'takes mail from its own people only',
  needs_reverse_dns: 'the mail server wants reverse DNS',
  sender_rejected: 'the mail server refused our name',
  failed_smtp_connection: 'no mail server could be reached',
  outbound_port_blocked: 'this network blocks the mail port',
  timeout_exceeded: 'the time ran out',
  forcible_disconnect: 'the connection to the mail server ended',
  mail_server_did_not_respond: 'the mail server did not greet us',
  dns_error: 'DNS gave no usable answer',
  exception_occurred: 'the mail server broke the protocol',
};

/** A reason in a few words; unknown codes are shown as words. */
export function reasonPhrase(subStatus: string, status: string): string {
  if (subStatus === '' && status !== 'valid') return 'no reason given';
  return Object.hasOwn(phrases, subStatus) ? phrases[subStatus as SubStatus] : subStatus.replaceAll('_', ' ').trim();
}
