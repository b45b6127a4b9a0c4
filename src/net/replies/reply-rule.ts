import type { KnownAnswer, SmtpReply } from '../../model/evidence.js';
import type { PhraseMatch, UserRule } from './match-phrase.js';
import { clientGroups, mailboxGroups, type PatternGroup } from './pattern-groups.js';
import type { ProviderReplyRule, Reading } from './reading.js';
import type { Echo } from './strip-echoes.js';

export interface ReadingContext extends Echo {
  /** The reply for a random mailbox of the same domain, if it was asked. */
  random?: SmtpReply | null;
  /** A mailbox that the host should know, postmaster or one that it accepted, and its reply. */
  knownMailbox?: KnownAnswer | null;
  /** True if this mailbox was not probed at this host before. */
  firstContact?: boolean;
  extraRules?: readonly UserRule[];
  /** Rules for the provider of the mail host. */
  providerRules?: readonly ProviderReplyRule[];
}

/** The properties of a reply that rules test. */
export interface ReplyFacts {
  reply: SmtpReply;
  /** The enhanced code without its class: `1.1` of `5.1.1`, or empty. */
  detail: string;
  match: PhraseMatch;
  group: PatternGroup | null;
  /** The text without echoed addresses and names. */
  bare: string;
  context: ReadingContext;
  /** The reading of another reply of the host, without controls. */
  readWithoutControls(other: SmtpReply): Reading;
}

/** A rule of a first-match table. */
export interface ReplyRule {
  name: string;
  when(facts: ReplyFacts): boolean;
  reading(facts: ReplyFacts): Reading;
}

/** The reading of the first rule that applies. The last rule of a table applies to everything. */
export function readByRules(rules: readonly ReplyRule[], facts: ReplyFacts): Reading {
  const rule = rules.find(({ when }) => when(facts));
  if (rule === undefined) throw new Error('The table of rules has no last rule.');
  const read = rule.reading(facts);
  // A rule that asks the controls keeps the name of the control rule.
  return read.decidedBy === read.rule ? { ...read, decidedBy: rule.name } : read;
}

/** Whether the words are about the client. */
export function isAboutClient({ group }: ReplyFacts): boolean {
  return group !== null && clientGroups.includes(group);
}

/** Whether the words are about the mailbox. */
export function isAboutMailbox({ group }: ReplyFacts): boolean {
  return group !== null && mailboxGroups.includes(group);
}

/** RFC 3463 §3.2 (bad sender), RFC 7372 (sender authentication), RFC 7505 §4.2 (sender with a null MX). */
const senderDetails = new Set(['1.7', '1.8', '7.20', '7.21', '7.22', '7.23', '7.24', '7.26', '7.27']);

/** Whether the code is about the sender. sendmail gives 4.1.8 to a client without reverse DNS as well. */
export function hasSenderCode({ detail, group }: ReplyFacts): boolean {
  return senderDetails.has(detail) && group !== 'reverse_dns';
}

/** Whether the words name a filter or a policy. */
export function isFiltered({ group }: ReplyFacts): boolean {
  return group === 'filter' || group === 'policy';
}
