import type { PhrasePosition } from './phrases.js';

/** Words that restrict a statement to some mail: `from you`, `for external senders`, `with attachments`. */
const restrictionToSomeMail =
  /^ (?:(?:any|receiving|e?mails?|messages?|anytraffic) )*(?:with (?:\w+ )?(?:attach|file|link|content|html)|(?:without|from(?! (?:(?:the|our|this) )?(?:system|server|service|domain|directory|company|receiving))|this|that|such|these|those|unless|larger|bigger|above|via|over) |(?:for|to|in|of) (?:\w+ ){0,2}?(?:senders?|size|external|outside|non(?! pay)|members|internet|format) |(?:for|to) you |of your |your permission |you from |(?:delivery|receipt) (?:of|until|from) |(?:because of|due to|by) (?:your|an? filter|filters?|the sender))/;

/** Whether a refusal is restricted to some mail: a mailbox that takes no attachments takes other mail. */
export function isContentPolicy({ text, start, end }: PhrasePosition): boolean {
  return (
    restrictionToSomeMail.test(text.slice(end)) ||
    / (?:(?:e?mail|delivery|messages) from|(?:external|internet|outside) (?:e?mail|delivery|messages)) /.test(
      text.slice(start, end),
    ) ||
    / (?:external|internet|outside) (?:e?mail|delivery|messages) (?:for|to) (?:this |the )?$/.test(
      text.slice(0, start + 1),
    )
  );
}
