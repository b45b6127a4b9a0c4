import type { KnownAnswer, SmtpReply } from '../../model/evidence.js';
import type { PhraseMatch, UserRule } from './match-phrase.js';
import type { PatternGroup } from './pattern-groups.js';
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
