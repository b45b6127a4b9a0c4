import { Failure } from '../../model/failure.js';
import { isLoopback } from '../../wire/loopback.js';

/** A key that can be sent; any other is a Failure. */
export function checkedKey(apiKey: string): string {
  const key = apiKey.trim();
  if (key === '') {
    throw new Failure('key_missing', 'The service needs an API key, but none is set.', {
      hint: 'Run mailvet login, or set MAILVET_API_KEY.',
    });
  }
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new Failure('key_refused', 'The API key contains characters that no key can have.', {
    hint: 'Copy it again, without spaces or line ends, and run mailvet login.',
  });
}

/** Refuses to send a key where others could read it on its way. */
export function checkTransport(root: URL, allowHttp: boolean): void {
  if (root.protocol === 'https:' || allowHttp || isLoopback(root.hostname)) return;
  throw new Failure('usage', `The key would be sent to ${root.host} unencrypted, over plain http.`, {
    hint: 'Use an https address, or add --allow-http if you trust the network in between.',
  });
}

/** The text with every copy of the key blotted out. */
export function withoutKey(text: string, apiKey: string): string {
  // A key of a letter or two would blot out half of any text, and is none.
  if (apiKey.length < 6) return text;
  const forms = new Set([apiKey, encodeURIComponent(apiKey), JSON.stringify(apiKey).slice(1, -1)]);
  return [...forms].reduce((clean, form) => (clean.includes(form) ? clean.replaceAll(form, '***') : clean), text);
}
