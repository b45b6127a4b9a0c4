import { shellWord } from '../../model/text/shell-word.js';
import { apiPrefix, routes } from '../../wire/routes.js';

/** The same check with curl. The key comes from a variable, since pages never show a whole key again. */
export function asCurl(origin: string, email: string, key = '$MAILVET_API_KEY'): string {
  const url = `${origin}${apiPrefix}${routes.validateOneByQuery.path}?email=${encodeURIComponent(email)}`;
  return `curl -H "X-API-Key: ${key}" ${shellWord(url)}`;
}

export function asCli(email: string): string {
  return `mailvet validate --explain ${email.startsWith('-') ? '-- ' : ''}${shellWord(email)}`;
}
