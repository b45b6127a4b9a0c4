import { definitionOf, settingFields } from '../../settings/definitions.js';
import type { FlagValues } from '../../settings/resolve.js';
import { formatKind } from '../render/rows/formats.js';

/** Parsed flags, as commander names them. */
export type RawFlags = Record<string, unknown>;

/** The flags of every command. */
export interface CommonFlags {
  settings: FlagValues;
  profile?: string | undefined;
  newProfile?: boolean;
  quiet: boolean;
  verbose: boolean;
  noColor: boolean;
  json: boolean;
}

export function readCommonFlags(flags: RawFlags): CommonFlags {
  const settings: FlagValues = {};
  for (const field of settingFields) {
    const { flag } = definitionOf(field);
    if (flag === null) continue;
    const value = flags[attributeOf(flag)];
    // Without --no-x, commander sets x to true.
    if (value === undefined || (flag.startsWith('--no-') && value === true)) continue;
    settings[field] = value as string | boolean | string[];
  }
  if (flags['local'] === true) settings.mode = 'local';
  if (flags['remote'] === true) settings.mode = 'remote';
  return {
    settings,
    profile: flags['profile'] as string | undefined,
    quiet: flags['quiet'] === true,
    verbose: flags['verbose'] === true,
    noColor: flags['color'] === false,
    json: flags['json'] === true || formatKind(flags['format'] as string | undefined) === 'json',
  };
}

/** Commander's name of a flag: baseUrl for `--base-url <url>`, ai for `--no-ai`. */
function attributeOf(flag: string): string {
  const name = flag.split(' ')[0]?.replace(/^--(no-)?/, '') ?? '';
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
