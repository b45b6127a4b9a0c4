import { adminOwner } from '../../jobs/store/sessions.js';
import { localOwner } from '../../jobs/store/store.js';
import type { Owner } from '../../wire/app-jobs.js';
import type { WebContext } from './web-context.js';

/** The names of some owners; there may be very many. */
export async function ownerNames(
  { store }: Pick<WebContext, 'store'>,
  ids: Iterable<string>,
): Promise<(id: string) => Owner> {
  const keys = new Map<string, string>();
  for (const id of new Set(ids)) {
    const key = id === adminOwner || id === localOwner ? null : await store.getKey(id);
    if (key !== null) keys.set(id, key.name);
  }
  return (id) => {
    if (id === adminOwner) return { kind: 'admin', id, name: 'Admin' };
    if (id === localOwner) return { kind: 'local', id, name: 'command line' };
    return { kind: 'key', id, name: keys.get(id) ?? 'deleted key' };
  };
}
