import { fold } from './phrases.js';
import { wordList } from './word-lists.js';

/** Chinese and Japanese do not separate words, and Korean attaches particles, so names are searched inside the text. */
const cjk = /[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]/;

const networkName = /(?<![a-z])(?:ip|ptr|spf|helo|dns|mx)(?![a-z])/;

/** `在本服务器`: on this server. */
const locationPhrase = /在(?:本|此|该|這|这)(?:邮件|郵件)?(?:服务器|服务|服務|伺服器|主机|主機|系统|系統)/g;

/** Whether a folded text is Chinese, Japanese or Korean. */
export function isCjk(words: string): boolean {
  return cjk.test(words);
}

/** The last thing that a folded text names; the mailbox if it names none. */
export function cjkSubject(text: string, after: string): 'mailbox' | 'client' | 'other' {
  nameLists ??= {
    recipient: namesOf('cjk_recipient'),
    mailbox: namesOf('cjk_mailbox'),
    client: namesOf('cjk_client'),
    things: namesOf('cjk_things'),
  };
  if (networkName.test(text)) return 'other';
  const [recipient, client] = [lastOf(text, nameLists.recipient), lastOf(text, nameLists.client)];
  if (client > recipient) return 'client';
  const mailbox = Math.max(recipient, lastOf(text, nameLists.mailbox));
  const thing = lastOf(text.replace(locationPhrase, ''), nameLists.things);
  // `존재하지 않는 도메인`: the name may follow.
  if (Math.max(mailbox, thing) === -1 && lastOf(after, nameLists.things) > -1) return 'other';
  return thing > mailbox ? 'other' : 'mailbox';
}

/** Built at first use: folding them takes longer than starting. */
let nameLists: Record<'recipient' | 'mailbox' | 'client' | 'things', readonly string[]> | null = null;

/** Names as in folded texts. */
function namesOf(list: string): string[] {
  return fold([...wordList(list)].join(' '))
    .trim()
    .split(' ');
}

/** The position of the last name, or -1. */
function lastOf(text: string, names: readonly string[]): number {
  return Math.max(...names.map((name) => text.lastIndexOf(name)));
}
