import { shellWord } from '../../model/text/shell-word.js';
import { pathOf, routes } from '../../wire/routes.js';

/** The same check with curl. The key comes from a variable, since pages never show a whole key again. */
export function asCurl(origin: string, email: string, key = '$MAILVET_API_KEY'): string {
  const url = origin + pathOf(routes.validateOneByQuery, { query: { email } });
  return `curl -H "X-API-Key: ${key}" ${shellWord(url)}`;
}

export function asCli(email: string): string {
  return `mailvet validate --explain ${email.startsWith('-') ? '-- ' : ''}${shellWord(email)}`;
}
