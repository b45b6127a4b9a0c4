import type { IdnaTables } from '../grammar/idna-tables.js';

// Replaces grammar/idna-tables.ts in `mailvet/address`, where nothing can be loaded synchronously.

let loaded: IdnaTables | undefined;

/** The tables if they are loaded, otherwise the conversion of the platform's URL class. */
export function idnaTables(): IdnaTables {
  return loaded ?? platform;
}

export async function loadTables(): Promise<void> {
  const { default: tr46 } = await import('tr46');
  loaded ??= tr46;
}

/** An empty label, or a hyphen at its start or end. */
const brokenLabel = /(?:^|\.)(?:[.-]|$)|-\./;

/** UTS 46 as the URL standard uses it: less strict about hyphens, and without the conversion to Unicode. */
const platform: IdnaTables = {
  toASCII: (name) => {
    try {
      const ascii = new URL(`http://${name}/`).hostname;
      return brokenLabel.test(ascii) ? null : ascii;
    } catch {
      return null;
    }
  },
  toUnicode: (name) => ({
    domain: name.normalize('NFKC').toLowerCase().replaceAll('。', '.'),
    error: platform.toASCII(name, {}) === null,
  }),
};
