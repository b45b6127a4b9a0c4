/** The variables a process was started with. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process. */
export function processEnvironment(): Environment {
  return process.env;
}

/** What the environment says of colour: `FORCE_COLOR` and `NO_COLOR` (no-color.org), and terminals that have none. */
export function colorPreference(environment: Environment): 'always' | 'never' | 'auto' {
  const force = environment['FORCE_COLOR'];
  if (force !== undefined) return force === '0' || force === 'false' ? 'never' : 'always';
  if (environment['NO_COLOR'] !== undefined && environment['NO_COLOR'] !== '') return 'never';
  return environment['TERM'] === 'dumb' ? 'never' : 'auto';
}

/** Whether text beyond ASCII can be shown, as far as the terminal and the locale tell; one that says nothing is taken to be modern. */
export function showsUnicode(environment: Environment): boolean {
  if (environment['TERM'] === 'dumb' || environment['TERM'] === 'linux') return false;
  const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'] || '';
  return locale === '' || /utf-?8/i.test(locale);
}
