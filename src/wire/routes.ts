import { Failure } from '../model/failure.js';

/** The prefix of all API paths. */
export const apiPrefix = '/api/v1';
export const keyHeader = 'x-api-key';
/** A header of our service, by which clients know that it has more than the documented API. */
export const serviceHeader = 'x-mailvet';
/** The multipart field of an uploaded file. */
export const uploadField = 'file';
/** What a list can be, for people. */
export const listFormats = 'CSV, TSV, Excel (xlsx), JSON, vCard, or one address per line';
export const maxEmailsPerRequest = 1_000;
/** The Accept header that requests full results of a bulk request; other services ignore it. */
export const fullResultsType = 'application/json; results=full';
export const defaultPage = { skip: 0, limit: 10 } as const;

export interface Route {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below the prefix. */
  path: string;
  billable: boolean;
}

/** Every operation of the documented API, then our additions. */
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

/** The path of a route below the service root, with the job and the query escaped. */
export function pathOf(
  route: Route,
  fill: { jobId?: string; query?: Record<string, string | number | undefined> } = {},
): string {
  return fillPath(route.path, fill.jobId, fill.query);
}

/** Fills in the placeholder and the query of a path, escaped. */
export function fillPath(
  template: string,
  id = '',
  query: Readonly<Record<string, string | number | undefined>> = {},
): string {
  // `encodeURIComponent` keeps dots, and a URL parser would resolve `..`.
  const safe = encodeURIComponent(id).replace(/^\.+$/, escapeDots);
  const path = template.replace(/\{\w+\}/, () => safe);
  const pairs = Object.entries(query).filter((pair): pair is [string, string | number] => pair[1] !== undefined);
  const text = pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
  return text === '' ? path : `${path}?${text}`;
}

function escapeDots(dots: string): string {
  return '%2E'.repeat(dots.length);
}

/** The base URL with `/api/v1` appended if it is missing, without a trailing slash. */
export function serviceRoot(baseUrl: string): URL {
  const text = baseUrl.trim();
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.hostname === '') {
    throw new Failure('usage', `The base URL "${redactedUrl(text)}" is not an http or https address.`, {
      hint: 'Give it in full, e.g. --base-url https://service.example/api/v1.',
    });
  }
  if (url.username !== '' || url.password !== '') {
    throw new Failure('usage', 'The base URL must not carry a user name or password.', {
      hint: 'Requests are authenticated by the API key only. Run "mailvet login", or set MAILVET_API_KEY.',
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

/** An invalid URL may contain a password: the part up to an `@` is removed. */
function redactedUrl(text: string): string {
  return text
    .replace(/^[\s\S]*@/, '…@')
    .replace(/[\u0000-\u001f\u007f-\u009f]/g, '')
    .slice(0, 100);
}

/** True for names and addresses of this machine. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase();
  return name === 'localhost' || name.endsWith('.localhost') || /^127(\.\d{1,3}){3}$/.test(name) || name === '::1';
}
