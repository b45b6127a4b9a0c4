import { Failure } from '../model/failure.js';
import { nearestName } from '../model/nearest-name.js';
import {
  definitionOf,
  fieldOfKey,
  requirePublicSetting,
  type SettingField,
  type SettingValues,
  settingFields,
  variableOf,
} from './definitions.js';
import type { Environment } from './environment.js';
import { findFolders } from './folders.js';
import { defaultProfile, type SettingsFile, type StoredValues } from './read-file.js';
import { withoutPassword } from './secrets.js';

/** All resolved settings. */
export interface Settings extends SettingValues {
  profile: string;
  configFile: string;
  dataDir: string;
  /** Proxies for the remote service. */
  httpProxy: string | null;
  httpsProxy: string | null;
  noProxy: string | null;
}

/** The source of a value, with a name for messages. */
interface Source {
  from: 'flag' | 'environment' | 'file' | 'default';
  name: string;
}

/** Settings given on the command line, as written. */
export type FlagValues = Partial<Record<SettingField, string | boolean | readonly string[]>>;

/** The settings of `--set KEY=VALUE`. Several values of a list are added up. */
export function parseSetFlags(words: readonly string[]): FlagValues {
  const values: FlagValues = {};
  for (const word of words) {
    const [, name, value = ''] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
    if (name === undefined) {
      throw new Failure('usage', '--set takes a setting and its value.', {
        hint: 'Write --set KEY=VALUE, such as --set timeout=10s. All of them: mailvet config list',
      });
    }
    const field = requirePublicSetting(name);
    const earlier = values[field];
    values[field] = definitionOf(field).kind.list ? [...(Array.isArray(earlier) ? earlier : []), value] : value;
  }
  return values;
}

export interface ResolvedSettings {
  settings: Settings;
  sources: Record<SettingField, Source>;
  notes: string[];
}

export interface SettingsInput {
  /** Settings that have a flag of their own. */
  flags: FlagValues;
  /** Those of `--set`. */
  set?: FlagValues;
  environment: Environment;
  file: SettingsFile;
  profile?: string | undefined;
  /** The profile need not exist yet. */
  newProfile?: boolean | undefined;
}

/** Resolves every setting: flag, else environment, else profile, else default. */
export function resolveSettings(input: SettingsInput): ResolvedSettings {
  const { environment, file } = input;
  const profile = chooseProfile(input);
  const stored = file.stored.profiles[profile] ?? {};
  const values: Record<string, unknown> = {};
  const sources: Record<string, Source> = {};
  for (const field of settingFields) {
    const source = findValue(field, input, stored, profile);
    values[field] = source === null ? definitionOf(field).default : parseValue(field, source.raw, source.source);
    sources[field] = source?.source ?? { from: 'default', name: 'default' };
  }
  const folders = findFolders(environment);
  return {
    settings: {
      ...(values as SettingValues),
      profile,
      configFile: file.path,
      dataDir: folders.dataDir,
      httpProxy: variable(environment, 'http_proxy') ?? variable(environment, 'HTTP_PROXY'),
      httpsProxy: variable(environment, 'https_proxy') ?? variable(environment, 'HTTPS_PROXY'),
      noProxy: variable(environment, 'no_proxy') ?? variable(environment, 'NO_PROXY'),
    },
    sources: sources as Record<SettingField, Source>,
    notes: [...file.notes, ...unknownKeyNotes(stored, file.path)],
  };
}

/** Parses one value; a Failure names its source and what is allowed. */
export function parseValue(field: SettingField, raw: unknown, source: Source): unknown {
  const { key, kind, secret } = definitionOf(field);
  // An empty list may be stored; on a command line it is an unset variable.
  if (kind.list && Array.isArray(raw) && raw.length === 0) return raw;
  const text = textOf(raw);
  const value = text === null ? undefined : kind.parse(text);
  if (value !== undefined) return value;
  if (text !== null && kind.choices !== undefined) throw notAChoice(key, kind, text, source);
  const quotedValue = secret || text === null ? '' : ` "${text.replace(/\S+/g, withoutPassword).slice(0, 80)}"`;
  throw new Failure('usage', `${source.name}: the value${quotedValue} is not allowed for ${key}.`, {
    hint: `Allowed: ${kind.allowed}.`,
  });
}

/** Uses the same words as for an invalid choice of a flag. */
function notAChoice(
  key: string,
  { choices = [], allowed }: { choices?: readonly string[]; allowed: string },
  text: string,
  { from, name }: Source,
): Failure {
  const isNamed = from === 'environment' || name.startsWith('--');
  const subject = isNamed ? name : from === 'file' ? `${key} in ${name}` : key;
  const nearest = nearestName(text, choices);
  return new Failure('usage', `${subject} cannot be "${text.slice(0, 80)}".`, {
    hint: `${nearest === null ? '' : `Did you mean ${nearest}? `}Allowed: ${allowed}.`,
  });
}

function findValue(
  field: SettingField,
  { flags, set = {}, environment, file }: SettingsInput,
  stored: StoredValues,
  profile: string,
): { raw: unknown; source: Source } | null {
  const { key, flag } = definitionOf(field);
  const flagValue = flags[field];
  if (flagValue !== undefined) {
    const name = field === 'mode' ? `--${String(flagValue)}` : (flag?.split(' ')[0] ?? key);
    return { raw: flagValue, source: { from: 'flag', name } };
  }
  if (set[field] !== undefined) return { raw: set[field], source: { from: 'flag', name: `--set ${key}` } };
  const name = variableOf(key);
  const fromEnvironment = variable(environment, name);
  if (fromEnvironment !== null) return { raw: fromEnvironment, source: { from: 'environment', name } };
  if (stored[key] !== undefined && stored[key] !== null) {
    const location = profile === defaultProfile ? file.path : `${file.path}, profile ${profile}`;
    return { raw: stored[key], source: { from: 'file', name: location } };
  }
  return null;
}

function chooseProfile({ environment, file, profile, newProfile }: SettingsInput): string {
  const requested = profile ?? variable(environment, 'MAILVET_PROFILE');
  const name = requested ?? file.stored.profile;
  if (!isProfileName(name)) {
    throw new Failure('usage', `"${name.slice(0, 80)}" cannot be the name of a profile.`, {
      hint: 'Allowed: up to 64 letters, digits, hyphens, underscores and dots.',
    });
  }
  const names = Object.keys(file.stored.profiles);
  if (newProfile || name === defaultProfile || names.includes(name)) return name;
  throw new Failure('usage', `There is no profile "${name}".`, {
    hint: `Profiles: ${[...new Set([defaultProfile, ...names])].join(', ')}. Create it with: mailvet login --profile ${name}`,
  });
}

export function isProfileName(name: string): boolean {
  return /^[A-Za-z0-9._-]{1,64}$/.test(name) && name !== '__proto__';
}

function unknownKeyNotes(stored: StoredValues, path: string): string[] {
  const keys = Object.keys(stored).filter((key) => fieldOfKey(key) === undefined);
  return keys.length === 0 ? [] : [`${path} has settings that this version does not support: ${keys.join(', ')}.`];
}

function variable(environment: Environment, name: string): string | null {
  const value = environment[name];
  return value === undefined || value === '' ? null : value;
}

function textOf(raw: unknown): string | null {
  if (typeof raw === 'string') return raw;
  if (typeof raw === 'number' || typeof raw === 'boolean') return String(raw);
  if (Array.isArray(raw) && raw.every((item) => typeof item === 'string')) return raw.join(',');
  return null;
}
