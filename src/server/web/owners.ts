import { adminOwner } from '../../jobs/store/sessions.js';
import { localOwner } from '../../jobs/store/store.js';
import type { Owner } from '../../wire/app.js';
import type { WebContext } from './web-context.js';

/** Whose an id is, in words. */
export async function ownerNames({ store }: Pick<WebContext, 'store'>): Promise<(id: string) => Owner> {
  const keys = new Map((await store.listKeys()).map(({ id, name }) => [id, name]));
  return (id) => {
    if (id === adminOwner) return { kind: 'admin', id, name: 'Admin' };
    if (id === localOwner) return { kind: 'local', id, name: 'command line' };
    return { kind: 'key', id, name: keys.get(id) ?? 'deleted key' };
  };
}
