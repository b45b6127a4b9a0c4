/** Placeholders that templates and robots leave. */
const placeholderLocalPart =
  /^(email|e-?mail|you|your[._-]?.*|me|noreply.*|no-reply.*|unknown|none|null|undefined|user|username|name|example|test|xxx.*|foo|bar)$/;
const placeholderDomain =
  /(^|\.)(example\.(com|org|net)|localhost|users\.noreply\.github\.com|address|invalid|local|localdomain)$|noreply/i;

/** `Jane Doe <jane@corp.com>` or { name, email } → { account, name }; null if it is not the address of a person. */
export function parsePerson(value) {
  const text = typeof value === 'object' && value !== null ? `${value.name ?? ''} <${value.email ?? ''}>` : value;
  if (typeof text !== 'string') return null;
  const found =
    /^\s*"?([^<>"]*?)"?\s*<\s*([A-Za-z0-9._+-]{1,40})@([A-Za-z0-9.-]+\.[A-Za-z]{2,}|[A-Za-z0-9-]+)\s*>/.exec(text);
  if (found === null) return null;
  const [, name, local, domain] = found;
  const account = local
    .toLowerCase()
    .replace(/(?<=.)\+.*/, '')
    .replace(/^[._+-]+|[._+-]+$/g, '');
  if (
    account.length < 2 ||
    placeholderLocalPart.test(account) ||
    placeholderDomain.test(domain) ||
    !domain.includes('.')
  )
    return null;
  return { account, name: name.trim() };
}
