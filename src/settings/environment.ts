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

/** True if the terminal shows progress in its tab or task bar (OSC 9;4). Others may print the sequence, or beep. */
export function showsTaskbarProgress(environment: Environment): boolean {
  // A multiplexer does not pass it on.
  if (environment['TMUX'] !== undefined || environment['STY'] !== undefined) return false;
  if (environment['WT_SESSION'] !== undefined || environment['ConEmuANSI'] === 'ON') return true;
  return environment['TERM_PROGRAM'] === 'ghostty' || Number(environment['VTE_VERSION'] ?? 0) >= 7900;
}

/** True unless the terminal or the locale is known to be limited to ASCII. */
export function showsUnicode(environment: Environment): boolean {
  if (environment['TERM'] === 'dumb' || environment['TERM'] === 'linux') return false;
  const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'] || '';
  return locale === '' || /utf-?8/i.test(locale);
}
