/** UTS 46, as implemented by tr46. */
export interface IdnaTables {
  toASCII(name: string, options: Record<string, boolean>): string | null;
  toUnicode(name: string, options: Record<string, boolean>): { domain: string; error: boolean };
}

let loaded: IdnaTables | undefined;

/** Loaded on first use, since the tables are large. The build puts tr46 next to the bundle. */
export function idnaTables(): IdnaTables {
  loaded ??= require('tr46') as IdnaTables;
  return loaded;
}

/** Needed only in the build of `mailvet/address`, which replaces this module. */
export async function loadTables(): Promise<void> {
  idnaTables();
}
