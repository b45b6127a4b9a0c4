export type Environment = Readonly<Record<string, string | undefined>>;

export function processEnvironment(): Environment {
  return process.env;
}

/** Color by `FORCE_COLOR`, `NO_COLOR` (no-color.org) and terminals without color. */
export function colorPreference(environment: Environment): 'always' | 'never' | 'auto' {
  const force = environment['FORCE_COLOR'];
  if (force !== undefined) return force === '0' || force === 'false' ? 'never' : 'always';
  if (environment['NO_COLOR'] !== undefined && environment['NO_COLOR'] !== '') return 'never';
  return environment['TERM'] === 'dumb' ? 'never' : 'auto';
}

/** True unless the terminal or the locale is known to be limited to ASCII. */
export function showsUnicode(environment: Environment): boolean {
  if (environment['TERM'] === 'dumb' || environment['TERM'] === 'linux') return false;
  const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'] || '';
  return locale === '' || /utf-?8/i.test(locale);
}
