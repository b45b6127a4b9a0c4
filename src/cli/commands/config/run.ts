import { resolve as absolute } from 'node:path';
import { Failure } from '../../../model/failure.js';
import { nearestName } from '../../../model/nearest-name.js';
import {
  definitionOf,
  definitions,
  requirePublicSetting,
  requireSetting,
  type SettingField,
  type SettingValues,
  settingFields,
  variableOf,
} from '../../../settings/definitions.js';
import { findFolders } from '../../../settings/folders.js';
import { defaultProfile, readSettingsFile, type StoredSettings } from '../../../settings/read-file.js';
import { isProfileName, parseValue } from '../../../settings/resolve.js';
import { maskSecret } from '../../../settings/secrets.js';
import { changeSettingsFile, withValue } from '../../../settings/write-file.js';
import type { Context } from '../../context.js';
import { type FormatFlags, requestedFormat } from '../../flags/output-flags.js';
import { formatKind } from '../../render/rows/formats.js';
import { printRecords } from '../../results/print-records.js';
import { confirmDeletion } from '../../terminal/confirm-deletion.js';
import { sanitize } from '../../terminal/sanitize.js';

/** Shows every setting with its source, and the profiles. */
export async function runConfigList(context: Context, flags: FormatFlags): Promise<number> {
  const { settings, sources } = context.resolved();
  const { stdout } = context.terminal;
  const entries = settingFields.map((field) => {
    const value = usedValue(settings, field);
    const { from: source, name: from } = sources[field];
    return { field, key: definitionOf(field).key, value: jsonValue(field, value), source, from };
  });
  const { stored } = readSettingsFile(settings.configFile);
  const document = {
    profile: settings.profile,
    profiles: profileNames(stored),
    path: settings.configFile,
    settings: Object.fromEntries(entries.map(({ key, value, source, from }) => [key, { value, source, from }])),
  };
  const { renderFittingGrid } = await import('../../render/style/grid.js');
  const screen = (): string => {
    const rows = entries.map(({ field, key, source, from }) => {
      // A default that is not a value: `the full name of this machine`.
      const [, inWords = ''] = /\(default: ([^;)]*)/.exec(definitionOf(field).description) ?? [];
      const value = displayText(field, usedValue(settings, field)) || inWords;
      return [key, value, source === 'default' ? 'default' : source === 'file' ? 'stored' : from];
    });
    const grid = renderFittingGrid(['KEY', 'VALUE', 'FROM'], rows, stdout, { wraps: true });
    const others = document.profiles.filter((name) => name !== settings.profile).map(sanitize);
    const profiles = others.length === 0 ? '' : ` (others: ${others.join(', ')})`;
    return `Profile ${settings.profile}${profiles}, stored in ${sanitize(settings.configFile)}\n\n${grid}`;
  };
  const rows = entries.map(({ field: _, ...entry }) => entry);
  await printRecords(context, flags, { rows, document, screen });
  return 0;
}

/** Prints one value; a key is masked. A note marks a default. */
export async function runConfigGet(context: Context, name: string, flags: FormatFlags): Promise<number> {
  if (name === profileKey) {
    const { profile } = context.settings();
    await context.terminal.stdout.write(flags.json ? `${JSON.stringify({ profile })}\n` : `${profile}\n`);
    return 0;
  }
  const field = requireSetting(name);
  const { key, secret } = definitionOf(field);
  const { settings, sources } = context.resolved();
  const value = usedValue(settings, field);
  if (value === null) {
    const how = secret ? context.command('login') : context.command('config', 'set', key, 'VALUE');
    throw new Failure('not_found', `${key} is not set.`, { hint: `Set it with: ${how}` });
  }
  // A script reads the bare value.
  const isJson = formatKind(requestedFormat(flags)) === 'json';
  const text = isJson ? JSON.stringify({ [key]: jsonValue(field, value) }) : sanitize(displayText(field, value));
  await context.terminal.stdout.write(`${text}\n`);
  if (sources[field].from === 'default') context.note(`${key} is not set; this is the default.`);
  return 0;
}

/** Checks and stores one value in the profile. */
export async function runConfigSet(context: Context, name: string, value: string): Promise<number> {
  if (name === profileKey) return useProfile(context, value);
  const field = requirePublicSetting(name);
  const { key, kind } = definitionOf(field);
  const { profile, configFile } = targetProfile(context);
  const parsed = parseValue(field, value, { from: 'flag', name: 'config set' });
  // A bad value would fail every later command.
  await (await import('../../../service/local/check-setting.js')).checkSetting(field, parsed);
  const encoded = kind.path && typeof parsed === 'string' ? absolute(parsed) : kind.encode(parsed as never);
  await changeSettingsFile(configFile, (stored) => withValue(stored, profile, key, encoded));
  context.note(`${key} is ${sanitize(kind.show(parsed as never))} in the profile ${profile}.`);
  const variable = variableOf(key);
  if (context.environment[variable]) context.note(`${variable} is set and wins over what is stored.`);
  return 0;
}

export type UnsetFlags = { all?: boolean; yes?: boolean };

/** Removes one stored value, if it is stored, or the profile. */
export async function runConfigUnset(
  context: Context,
  name: string | undefined,
  { all, yes }: UnsetFlags,
): Promise<number> {
  const { profile, configFile } = targetProfile(context);
  if ((name === undefined) === (all !== true)) {
    throw new Failure('usage', 'Name one setting, or give --all to remove the profile.', {
      hint: 'See: mailvet config list',
    });
  }
  if (name === undefined) return removeProfile(context, profile, yes);
  if (name === profileKey) return useProfile(context, defaultProfile);
  const stored = readSettingsFile(configFile).stored.profiles[profile] ?? {};
  // A name that is no setting can be stored, too.
  const key = Object.hasOwn(stored, name) ? name : definitionOf(requireSetting(name)).key;
  if (!Object.hasOwn(stored, key)) {
    context.note(`${key} is not stored in the profile ${profile}.`);
    return 0;
  }
  await changeSettingsFile(configFile, (stored) => withValue(stored, profile, key, undefined));
  context.note(`${key} is no longer stored in the profile ${profile}.`);
  return 0;
}

/** Not a setting of a profile, but the profile that is used. */
const profileKey = 'profile';

/** Selects the profile to use. */
async function useProfile(context: Context, name: string): Promise<number> {
  const path = findFolders(context.environment).configFile;
  requireProfile(readSettingsFile(path).stored, name);
  await changeSettingsFile(path, (current) => ({ ...current, profile: name }));
  noteInUse(context, name);
  return 0;
}

/** Says which profile is used from now on. */
function noteInUse(context: Context, name: string): void {
  const variable = context.environment['MAILVET_PROFILE'];
  context.note(
    variable && variable !== name
      ? `The profile ${name} is stored as the one to use, but MAILVET_PROFILE is set to ${variable} and wins.`
      : `The profile ${name} is in use.`,
  );
}

/** Removes a profile; on a terminal it asks first. The default one takes its place if it was in use. */
async function removeProfile(context: Context, name: string, yes: boolean | undefined): Promise<number> {
  const path = findFolders(context.environment).configFile;
  const { stored } = readSettingsFile(path);
  requireProfile(stored, name);
  const hasKey = definitions.apiKey.key in (stored.profiles[name] ?? {});
  const contents = hasKey ? 'its settings and its key' : 'its settings';
  if (!(await confirmDeletion(context, { question: `Remove the profile ${name} with ${contents}?`, yes }))) return 0;
  const next = stored.profile === name ? defaultProfile : stored.profile;
  await changeSettingsFile(path, ({ profiles: { [name]: _, ...profiles }, ...current }) => ({
    ...current,
    profiles,
    profile: current.profile === name ? defaultProfile : current.profile,
  }));
  context.note(`The profile ${name} was removed, with ${contents}.`);
  const wasInUse = [stored.profile, context.environment['MAILVET_PROFILE']].includes(name);
  if (wasInUse && next !== name) noteInUse(context, next);
  return 0;
}

function profileNames({ profiles }: StoredSettings): string[] {
  return [...new Set([defaultProfile, ...Object.keys(profiles)])];
}

function requireProfile(stored: StoredSettings, name: string): void {
  const names = profileNames(stored);
  if (isProfileName(name) && names.includes(name)) return;
  const nearest = nearestName(name, names);
  throw new Failure('usage', `There is no profile "${name}".`, {
    hint: `${nearest === null ? '' : `Did you mean ${nearest}? `}Profiles: ${names.join(', ')}. Create one with "mailvet config set KEY VALUE --profile NAME", or "mailvet login --profile NAME" for a service.`,
  });
}

/** The profile and the file to change, even if a stored value is invalid, so that it can be corrected. */
function targetProfile(context: Context): { profile: string; configFile: string } {
  try {
    return context.settings();
  } catch (thrown) {
    const { configFile } = findFolders(context.environment);
    const { stored } = readSettingsFile(configFile);
    const profile = context.profile ?? (context.environment['MAILVET_PROFILE'] || stored.profile);
    if (thrown instanceof Failure && isProfileName(profile)) return { profile, configFile };
    throw thrown;
  }
}

/** The value of a setting, or what the back end uses if there is none; null if nothing. */
function usedValue(settings: SettingValues, field: SettingField): unknown {
  return settings[field] ?? definitionOf(field).usedDefault?.[settings.mode === 'remote' ? 'remote' : 'local'] ?? null;
}

function displayText(field: SettingField, value: unknown): string {
  const { kind, secret } = definitionOf(field);
  if (value === null || value === undefined) return '';
  return secret ? maskSecret(String(value)) : kind.show(value as never);
}

function jsonValue(field: SettingField, value: unknown): unknown {
  if (value === null) return null;
  const { kind, secret } = definitionOf(field);
  const encoded = kind.encode(value as never);
  return secret || typeof encoded === 'string' ? displayText(field, value) : encoded;
}
