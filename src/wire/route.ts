import type { Schema } from './schema.js';

/**
 * Who may make a request. `key or session`: a key, or a browser with anyone signed in. `session`: a browser with anyone
 * signed in, a key's holder too, each for what they own. `member`: members and administrators.
 */
export type Permission = 'public' | 'key' | 'key or session' | 'session' | 'member' | 'administrator';

/** A request that the server answers. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly may: Permission;
  /** Text or a stream has `types` instead of a schema. */
  readonly answer: Schema | { readonly description: string; readonly types: readonly string[] };
  /** Absent for the routes of the pages, which are not part of the interface. */
  readonly summary?: string;
  /** Repeating it may cost credits again. */
  readonly isBillable?: boolean;
  readonly query?: Schema;
  readonly body?: Schema;
  /** A multipart body. */
  readonly form?: Schema;
}

function routeBy<const Method extends Route['method']>(method: Method) {
  return <
    const Path extends string,
    const May extends Permission,
    const Answer extends Route['answer'],
    const More extends Partial<Route> = Record<never, never>,
  >(
    path: Path,
    may: May,
    answer: Answer,
    more?: More,
  ) => ({ ...(more as More), method, path, may, answer });
}

export const get = routeBy('GET');
export const post = routeBy('POST');
export const patch = routeBy('PATCH');
export const remove = routeBy('DELETE');

/** An answer that is sent as text or as a stream. */
export function content(description: string, ...types: readonly string[]) {
  return { description, types };
}
