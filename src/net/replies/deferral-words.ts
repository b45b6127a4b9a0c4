import type { PhraseMatch } from './match-phrase.js';

/** Whether it invites a retry, which a permanent refusal does not. */
export function invitesRetry({ text }: { text: string }): boolean {
  return /\blater\b|\btry again\b|\bretry\b|\bwait\b/i.test(text);
}

/** Whether it says that the refusal is temporary, in one of many languages. */
export function saysTemporary(text: string): boolean {
  return temporaryWords.test(text) || laterWords.test(text);
}

/** Whether something is so for a while: `mailbox temporarily disabled`. */
export function saysTemporarily(text: string): boolean {
  return temporaryWords.test(text.replace(/\bnot (?:a )?tempor\w+|\btemporary (?:address|e-?mail)/gi, ' '));
}

const temporaryWords =
  /\btempor(?:ar|aire|alme|anea)|vor(?:ü|ue)bergehend|\btijdelijk|\btymczasowo|\bdočasn|\bmidlertidig|\btillf[äa]lligt|\bsementara\b|\bgeçici|временно|тимчасово|暂时|暫時|一時的|일시적/i;
const laterWords =
  /\btry (?:again )?(?:later|in|shortly|soon|tomorrow)\b|\bplease retry\b|\bplus tard\b|\bm(?:á|a)s tarde\b|\bmais tarde\b|\bpi(?:ù|u) tardi\b|\bsp(?:ä|ae)ter\b|\bopnieuw\b|\bpóźniej\b|\bpozději\b|\bsenere\b|\bbeberapa saat\b|\bdaha sonra\b|позже|пізніше|稍后|稍後|後ほど|나중에/i;

/** Whether it names a fault of the host. Greylisting hosts name none. */
export function namesFault(text: string, match: PhraseMatch): boolean {
  if (fault.test(text) || reportsServerFault(text)) return true;
  const isOpen = match === null || match.group === 'other_cause';
  if (!isOpen || invitesRetry({ text })) return false;
  return (weakFault.test(text) && !/\btempora/i.test(text)) || namesCause(text);
}

/** Whether it says more than that the mail is deferred. */
function namesCause(text: string): boolean {
  return !deferralWords.test(text) && (text.match(/[a-z]{3,}/gi) ?? []).length >= 3;
}

/** Whether a component of the host has a fault. */
export function reportsServerFault(text: string): boolean {
  return (
    componentFault.test(text) ||
    faultInComponent.test(text) ||
    unreachedComponent.test(text) ||
    /\bno response from\b/i.test(text)
  );
}

/** Whether a refusal blames the host itself: `internal delivery error`, `service misconfigured`, `API error: 503`. */
export function namesHostTrouble(text: string): boolean {
  return hostTrouble.test(text);
}

/** Whether the host cannot look up mailboxes: `user unknown: the directory is down`. */
export function cannotLookUp(text: string): boolean {
  return lookupFault.test(text);
}

/** Whether it is ambiguous: `user unknown or your IP is blocked`. */
export function isAmbiguous(text: string): boolean {
  return /\bat th(?:e moment|is time)\b|\bright now\b|\bmomentarily\b|\bpending\b|\bor (?:you|your|temporarily)\b|\bassume\b|\b(?:say|tell|sure|know) (?:whether|if)\b/i.test(
    text,
  );
}

/** Whether it is about the syntax of a command. */
export function namesSyntax(text: string): boolean {
  return /\bviolates rfc\b|\b(?:un|im)balanced\b|\bangle brackets?\b|\bmissing (?:sender|recipient)\b|\billegal character\b|\b(?:could not|couldn't|cannot|can't) parse\b/i.test(
    text,
  );
}

/** Whether it is about outgoing mail: `account suspended for sending spam`. */
export function isAboutSending(text: string): boolean {
  return /\b(?:outgoing|outbound|spam sent)\b|\bsending\b(?! to)/i.test(text);
}

/** Whether it counts our traffic: `only 20 recipients an hour`, `you sent 100 messages today`, `the limit was reached`. */
export function countsTraffic(text: string): boolean {
  return (countedWords.test(text) && limitWords.test(text)) || exceedsLimit(text);
}

/** Whether a limit is reached that is not one of size: `daily limit reached`. */
export function exceedsLimit(text: string): boolean {
  return (overLimit.test(text) && !hostLimits.test(text)) || rateLimit.test(text);
}

/** `max 1.5mb per 10 minutes`. */
const rateLimit = /\bmax\w*\b[^;]{0,30} (?:per|in|every) (?:\d+ )?(?:second|minute|hour|day)/i;

const countedWords =
  /\b(?:messages|e?-?mails|connections|sessions|recipients|rcpts|requests|commands|transactions|deliveries|attempts|errors|failures|bounces|users|addresses)\b/i;
const limitWords =
  /\b(?:limit\w*|max(?:imum)?|threshold|exceed\w*|excess\w*|allowed|allowance|quota|more than|number of|reduce|too (?:many|high|often)|today|an? (?:hour|minute|day))\b/i;

const overLimit =
  /\b(?:limit|threshold)s?\b(?: \w+){0,3} (?:exceeded|reached|hit)\b|\b(?:exceeded|reached|hit|over)\b(?: [\w-]+){0,4} (?:limit|threshold)s?\b/i;
/** Limits that do not count our traffic. */
const hostLimits = /\b(?:size|time|storage|memory|disk|space|hop|file|process|load|mailbox)\b/i;

const component =
  '(?:service|server|daemon|scanner|filter|engine|milter|store|storage|spool|directory|look-?up|map|table|node|cluster|proxy|agent|network|verification|file ?system|system|delivery|relay host)';
const failingWords =
  '(?:fail\\w*|unavailable|not available|error|timed? ?out|not responding|down|problem|busy|locked|restart\\w*|maintenance|unreachable|overloaded|crashed|not running|full|not be reached)';
/** `the virus scanner is not running`. */
const componentFault = new RegExp(`\\b${component}\\b(?: [\\w-]+){0,3}? ${failingWords}\\b`, 'i');
/** `temporary failure in the directory`. */
const faultInComponent = new RegExp(
  `\\b(?:fail\\w*|error|problem|trouble|space|waiting|contact)(?: \\w+)? (?:in|with|on|of|for|at|running)(?: [\\w-]+){0,2}? ${component}\\b`,
  'i',
);
const unreachedComponent = new RegExp(`\\b(?:contact|reach)(?: [\\w-]+){0,2}? ${component}\\b`, 'i');

const fault =
  / '?\/\w+\/|\b(?:error|file ?(?:name)?|backend|off ?line|restart(?:ing|ed)?|read-only|exception|resolver|upstream|look-?up|resolv(?:e|ing)|busy|abort(?:ed|ing)?|time(?:d[ -])?out|connect|unable|can(?:no|')t|could ?n[o']t|over ?load(?:ed)?|maintenance|disk|memory|database|dns|ldap|queue|loop|crashed|misconfigured|not configured|not set up|storing|saving|writing|unreachable|route|name ?server|shutting down|not ready)\b/i;
/** Greylisting hosts use these as well, but with an invitation to retry. */
const weakFault =
  /\b(?:unavailable|fail(?:ed|ure|s)?|problem|not running|respond(?:ing)?|died|in use|down|load|full|locked|system)\b/i;

const deferralWords =
  /tempor|defer|delay|gr[ea]y|soft|unavailable|reject|refus|denied|accept|undefined|come back|resend|minut|\b(?:moment|soon|seconds?|seen|first|tarde?|tardi|riprova\w*|sonra)\b|sp[aä]ter|r[eé]essay|p[oó][zź]ni|pozd[eě]ji/i;

const hostTrouble =
  /\b(?:api|backend|configuration|database|endpoint|internal|processing|runtime|server|system|upstream|worker)\b(?: \w+)? (?:error|failure|fault|fehler|incomplete|missing|problem|returned|exception)\b|\b(?:database|disk|spool|storage) (?:is )?full\b|\bmis-?configur|\bconfiguration\b.{0,30}\bincompl|\b(?:error|problem|failure|something)\b[^.;]{0,20} (?:processing|handling|with this server)\b|\b(?:could ?n[o']t|can(?:no|')t|failed to|unable to) (?:be )?(?:process|forward|handl|persist|queue|sav|stor)|\b(?:processing|forwarding|parsing)\b.{0,20} failed\b|\b(?:forwarder|gateway|mailer|server|service|system|webhook|worker)\b.{0,12} not configured\b/i;

const directory =
  '(?:director(?:y|ies)|ldap|(?:data)?base|sql|look-?up|back-?end|index|table|store|server|primary(?: mx)?)s?';
const outOfReach =
  '(?:(?:is|are|currently|temporarily) (?:unavailable|not available|being \\w+)|down|being rebuilt|unreachable|timed? ?out|off-?line|(?:dis|not )mounted|not responding|re-?syncs?|sync is late|(?:failed: )?connection (?:refused|lost|timed out))';
const lookupFault = new RegExp(
  `\\b${directory}\\b[^.;]{0,20}? ${outOfReach}\\b|\\b(?:unable to|cannot|can't|could ?n[o']t) (?:contact|reach|connect to|route to)(?: [\\w-]+){0,3}? ${directory}\\b|\\b(?:sql error|table missing)\\b|\\btemporary (?:failure|error|problem)\\b|\\bnot mounted\\b|\\bwithin \\d+ (?:s|sec|seconds|minutes)\\b`,
  'i',
);
