import { Failure } from '../../model/failure.js';
import { isLoopback } from '../../wire/loopback.js';

/** The key if it can be sent, otherwise a Failure. */
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

/** Refuses to send a key over plain http to another machine. */
export function checkTransport(root: URL, allowHttp: boolean): void {
  if (root.protocol === 'https:' || allowHttp || isLoopback(root.hostname)) return;
  throw new Failure('usage', `The key would be sent to ${root.host} unencrypted, over plain http.`, {
    hint: 'Use an https address, or add --allow-http if you trust the network in between.',
  });
}

/** Masks every copy of the key. */
export function withoutKey(text: string, apiKey: string): string {
  // A very short key would mask half of any text.
  if (apiKey.length < 6) return text;
  const forms = new Set([apiKey, encodeURIComponent(apiKey), JSON.stringify(apiKey).slice(1, -1)]);
  return [...forms].reduce((clean, form) => (clean.includes(form) ? clean.replaceAll(form, '***') : clean), text);
}
