import type { IncomingMessage } from 'node:http';
import { isEncrypted } from './sign-in-throttle.js';

/** Browsers accept the prefix only over TLS and from this host, so that a sibling domain cannot set the cookie. */
function cookieName(request: IncomingMessage): string {
  return isEncrypted(request) ? '__Host-mailvet' : 'mailvet';
}

/** The session id of the cookie; null for none or several. */
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

export function sessionCookie(request: IncomingMessage, id: string, maxAgeSeconds: number): string {
  const secure = isEncrypted(request) ? '; Secure' : '';
  return `${cookieName(request)}=${id}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${secure}`;
}
