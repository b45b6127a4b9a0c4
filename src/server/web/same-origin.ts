import type { IncomingMessage } from 'node:http';
import { Failure } from '../../model/failure.js';

/**
 * The Failure for a cross-site request. Without Sec-Fetch-Site (plain http to another machine), a request that changes
 * something needs an Origin that equals the Host.
 */
export function foreignFault({ method = 'GET', headers }: IncomingMessage): Failure | null {
  const changes = method !== 'GET' && method !== 'HEAD';
  const site = headers['sec-fetch-site'];
  if (site !== undefined) {
    // `none`: a typed address or a bookmark.
    return site === 'same-origin' || (site === 'none' && !changes) ? null : foreign();
  }
  if (headers.origin === undefined) return changes ? foreign() : null;
  return isSameHost(headers.origin, headers.host) ? null : foreign();
}

function isSameHost(origin: string, host: string | undefined): boolean {
  return host !== undefined && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}

function foreign(): Failure {
  return new Failure('forbidden', 'The request comes from another site.', {
    hint: 'Open the pages of this server directly. Behind a proxy: it must pass on the Host header as it came.',
  });
}
