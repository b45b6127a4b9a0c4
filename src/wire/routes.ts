import { Failure } from '../model/failure.js';
import type { TypeOf } from '../model/schema.js';
import { apiPrefix, apiRoutes } from './api.js';
import { appRoutes } from './app.js';
import type { Route } from './route.js';

/** Every request, from which the server's routes, the calls of pages and clients and the OpenAPI document follow. */
export const routes = { ...apiRoutes, ...appRoutes } satisfies Record<string, Route>;

export type RouteName = keyof typeof routes;
type Of<Name extends RouteName, Part extends string> = (typeof routes)[Name] extends { [P in Part]: infer S }
  ? S
  : never;
export type AnswerOf<Name extends RouteName> = TypeOf<Of<Name, 'answer'>>;
export type BodyOf<Name extends RouteName> = TypeOf<Of<Name, 'body'>>;
export type QueryOf<Name extends RouteName> = TypeOf<Of<Name, 'query'>>;

/** The query as the server sees it, with its defaults. */
export type FilledQueryOf<Name extends RouteName> = QueryOf<Name> & Defaults<Of<Name, 'query'>>;
type Defaults<S> = S extends { properties: infer P }
  ? { [Field in keyof P as P[Field] extends { default: unknown } ? Field : never]: TypeOf<P[Field]> }
  : unknown;

/** What a call sends. */
export type CallOf<Name extends RouteName> = ([BodyOf<Name>] extends [never] ? unknown : { body: BodyOf<Name> }) &
  ([QueryOf<Name>] extends [never] ? unknown : { query: QueryOf<Name> });

/** The path of a route with its id and query, escaped. */
export function pathOf(
  { path: template }: Pick<Route, 'path'>,
  {
    id = '',
    query = {},
  }: { id?: string; query?: Readonly<Record<string, string | number | boolean | undefined>> } = {},
): string {
  // `encodeURIComponent` keeps dots, and a URL parser would resolve `..`.
  const safe = encodeURIComponent(id).replace(/^\.+$/, (dots) => '%2E'.repeat(dots.length));
  const path = template.replace(/\{\w+\}/, () => safe);
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = pairs
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
    .join('&');
  return text === '' ? path : `${path}?${text}`;
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
