import { Failure } from '../model/failure.js';

/** The version prefix that every path of the interface lies under. */
export const apiPrefix = '/api/v1';
/** The header that carries the key, on every request. */
export const keyHeader = 'x-api-key';
/** The multipart field that carries an uploaded file. */
export const uploadField = 'file';
/** The most addresses that one bulk request may carry. */
export const maxEmailsPerRequest = 1_000;
/** Asks a bulk request for results in full, as an Accept header; a service that does not know it answers as documented. */
export const fullResultsType = 'application/json; results=full';
/** What the interface says of a job list that is asked for without a page. */
export const defaultPage = { skip: 0, limit: 10 } as const;

export interface Route {
  method: 'GET' | 'POST' | 'DELETE';
  /** Under the prefix; `{job_id}` stands for the job. */
  path: string;
  /** The service charges for it. */
  billable: boolean;
}

/** Every operation of the interface, then the ones of ours that lie beyond it. */
export const routes = {
  validateOne: { method: 'POST', path: '/validation/single', billable: true },
  validateOneByQuery: { method: 'GET', path: '/validation/single', billable: true },
  validateMany: { method: 'POST', path: '/validation/bulk', billable: true },
  previewUpload: { method: 'POST', path: '/bulk/upload/preview', billable: false },
  confirmUpload: { method: 'POST', path: '/bulk/upload/confirm', billable: true },
  listJobs: { method: 'GET', path: '/bulk/jobs', billable: false },
  getJob: { method: 'GET', path: '/bulk/jobs/{job_id}', billable: false },
  jobResults: { method: 'GET', path: '/bulk/jobs/{job_id}/results', billable: false },
  cancelJob: { method: 'DELETE', path: '/bulk/jobs/{job_id}', billable: false },
  credits: { method: 'GET', path: '/credits', billable: false },
} as const satisfies Record<string, Route>;

/** The path of a route below the service's root, with the job and the query filled in and escaped. */
export function pathOf(
  route: Route,
  fill: { jobId?: string; query?: Record<string, string | number | undefined> } = {},
): string {
  return fillPath(route.path, fill.jobId, fill.query);
}

/** A path with the one thing in braces, and a query, filled in and escaped. */
export function fillPath(
  template: string,
  id = '',
  query: Readonly<Record<string, string | number | undefined>> = {},
): string {
  // `encodeURIComponent` leaves dots alone, and a URL parser would fold `..` away.
  const safe = encodeURIComponent(id).replace(/^\.+$/, dotsEscaped);
  const path = template.replace(/\{\w+\}/, () => safe);
  const pairs = Object.entries(query).filter((pair): pair is [string, string | number] => pair[1] !== undefined);
  const text = pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
  return text === '' ? path : `${path}?${text}`;
}

function dotsEscaped(dots: string): string {
  return '%2E'.repeat(dots.length);
}

/** The address that paths are appended to: the base URL with `/api/v1` added only where it is missing, and no slash at the end. */
export function serviceRoot(baseUrl: string): URL {
  const text = baseUrl.trim();
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.hostname === '') {
    throw new Failure('usage', `The base URL "${shown(text)}" is not an http or https address.`, {
      hint: 'Give it in full, e.g. --base-url https://service.example/api/v1.',
    });
  }
  if (url.username !== '' || url.password !== '') {
    throw new Failure('usage', 'The base URL must not carry a user name or password.', {
      hint: 'The service knows you by the API key alone: run mailvet login, or set MAILVET_API_KEY.',
    });
  }
  url.search = '';
  url.hash = '';
  url.pathname = withPrefix(url.pathname.replace(/(?<!\/)\/+$/, ''));
  return url;
}

function withPrefix(path: string): string {
  if (`${path}/`.includes(`${apiPrefix}/`)) return path;
  if (path.endsWith('/api')) return `${path}/v1`;
  return path + apiPrefix;
}

/** A URL that failed to parse may hold anything, a password included, so only its beginning up to an `@` is repeated. */
function shown(text: string): string {
  return text
    .replace(/^.*@/, '…@')
    .replace(/[\u0000-\u001f\u007f-\u009f]/g, '')
    .slice(0, 100);
}
