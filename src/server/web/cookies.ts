import type { IncomingMessage } from 'node:http';
import { isEncrypted } from './sign-in-throttle.js';

/** The prefix makes browsers take it only over TLS and from this very host, so that no neighbour can plant one. */
function cookieName(request: IncomingMessage): string {
  return isEncrypted(request) ? '__Host-mailvet' : 'mailvet';
}

/** The id of the session that a browser sent; null where it sent none, or several. */
export function sessionIdIn(request: IncomingMessage): string | null {
  const { cookie } = request.headers;
  if (cookie === undefined) return null;
  const start = `${cookieName(request)}=`;
  const [found, ...others] = cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start));
  return found === undefined || others.length > 0 ? null : found.slice(start.length);
}

/** The header that keeps a session in the browser, until it is closed or the session has ended. */
export function sessionCookie(request: IncomingMessage, id: string, maxAgeSeconds: number): string {
  const secure = isEncrypted(request) ? '; Secure' : '';
  return `${cookieName(request)}=${id}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${secure}`;
}
