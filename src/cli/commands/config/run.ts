import { resolve as absolute } from 'node:path';
import { Failure } from '../../../model/failure.js';
import { nearestName } from '../../../model/nearest-name.js';
import {
  definitionOf,
  definitions,
  fieldOfKey,
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
import { confirmDeletion } from '../../terminal/confirm-deletion.js';
import { sanitize } from '../../terminal/sanitize.js';

type JsonFlag = { json?: boolean };

/** Shows every setting with its source. */
export async function runConfigList(context: Context, { json }: { json?: boolean }): Promise<number> {
  const { stdout } = context.terminal;
  const { settings, sources } = context.resolved();
  const entries = settingFields.map((field) => {
    const value = usedValue(settings, field);
    const { from: source, name: from } = sources[field];
    const json = { value: jsonValue(field, value), source, from };
    return { key: definitionOf(field).key, text: displayText(field, value), json };
  });
  if (json) {
    const values = Object.fromEntries(entries.map((entry) => [entry.key, entry.json]));
    const document = { profile: settings.profile, path: settings.configFile, settings: values };
    await stdout.write(`${JSON.stringify(document, null, stdout.isTty ? 2 : 0)}\n`);
  } else if (stdout.isTty) {
    const { renderFittingGrid } = await import('../../render/style/grid.js');
    const rows = entries.map(({ key, text, json: { source, from } }) => [
      key,
      text,
      source === 'default' ? 'default' : from,
    ]);
    const grid = renderFittingGrid(['KEY', 'VALUE', 'FROM'], rows, stdout, { wraps: true });
    await stdout.write(`Profile ${settings.profile}\n\n${grid}`);
  } else {
    await stdout.write(entries.map(({ key, text }) => `${key}=${sanitize(text)}\n`).join(''));
  }
  return 0;
}

/** Prints one value; a key is masked. A note marks a default. */
export async function runConfigGet(context: Context, name: string, { json }: JsonFlag): Promise<number> {
  const { field, key } = requireSetting(name);
  const { settings, sources } = context.resolved();
  const value = usedValue(settings, field);
  if (value === null) {
    const how = definitionOf(field).secret ? context.command('login') : context.command('config', 'set', key, 'VALUE');
    throw new Failure('not_found', `${key} is not set.`, { hint: `Set it with: ${how}` });
  }
  const text = json ? JSON.stringify({ [key]: jsonValue(field, value) }) : sanitize(displayText(field, value));
  await context.terminal.stdout.write(`${text}\n`);
  if (sources[field].from === 'default') context.note(`${key} is not set; this is the default.`);
  return 0;
}

/** Checks and stores one value in the profile. */
export async function runConfigSet(context: Context, name: string, value: string): Promise<number> {
  const { field, key } = requireSetting(name);
  const { kind, secret } = definitionOf(field);
  const { profile, configFile } = targetProfile(context);
  if (secret) {
    throw new Failure('usage', 'A key does not belong on a command line, where others can read it.', {
      hint: 'Store it with "mailvet login", or "mailvet login --key-stdin" in a script.',
    });
  }
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

/** Removes one stored value, if it is stored. */
export async function runConfigUnset(context: Context, name: string): Promise<number> {
  const { profile, configFile } = targetProfile(context);
  const stored = readSettingsFile(configFile).stored.profiles[profile] ?? {};
  // A name that is no setting can be stored, too.
  const key = Object.hasOwn(stored, name) ? name : requireSetting(name).key;
  if (!Object.hasOwn(stored, key)) {
    context.note(`${key} is not stored in the profile ${profile}.`);
    return 0;
  }
  await changeSettingsFile(configFile, (stored) => withValue(stored, profile, key, undefined));
  context.note(`${key} is no longer stored in the profile ${profile}.`);
  return 0;
}

/** Prints the path of the settings file, whether or not it exists. */
export async function runConfigPath(context: Context, { json }: JsonFlag): Promise<number> {
  const path = findFolders(context.environment).configFile;
  await context.terminal.stdout.write(`${json ? JSON.stringify({ path }) : path}\n`);
  return 0;
}

/** Selects the profile to use. */
export async function runConfigUse(context: Context, name: string): Promise<number> {
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

/** Prints the profiles; the one in use is marked. */
export async function runConfigProfiles(context: Context, { json }: JsonFlag): Promise<number> {
  const { stored } = readSettingsFile(findFolders(context.environment).configFile);
  const inUse = context.profile ?? (context.environment['MAILVET_PROFILE'] || stored.profile);
  const { stdout } = context.terminal;
  const profiles = profileNames(stored).map((name) => {
    const { mode = 'local', base_url = null } = stored.profiles[name] ?? {};
    return { name, in_use: name === inUse, mode, base_url };
  });
  if (json || !stdout.isTty) {
    await stdout.write(`${JSON.stringify({ profiles })}\n`);
    return 0;
  }
  const { renderFittingGrid } = await import('../../render/style/grid.js');
  const rows = profiles.map(({ name, in_use, mode, base_url }) => [
    `${in_use ? '*' : ' '} ${name}`,
    String(mode),
    base_url === null ? '' : String(base_url),
  ]);
  await stdout.write(renderFittingGrid(['  NAME', 'MODE', 'SERVICE'], rows, stdout));
  return 0;
}

/** Removes a profile; on a terminal it asks first. The default one takes its place if it was in use. */
export async function runConfigRemoveProfile(
  context: Context,
  name: string,
  { yes }: { yes?: boolean },
): Promise<number> {
  const path = findFolders(context.environment).configFile;
  const { stored } = readSettingsFile(path);
  requireProfile(stored, name);
  const hasKey = definitions.apiKey.key in (stored.profiles[name] ?? {});
  const contents = hasKey ? 'its settings and its key' : 'its settings';
  if (!(await confirmDeletion(context, `Remove the profile ${name} with ${contents}?`, yes))) return 0;
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

/** The setting of that name, which may be spelled like its flag: `smtp-port`, `resolver`. */
function requireSetting(name: string): { field: SettingField; key: string } {
  const flag = `--${name.replace(/^--/, '').replaceAll('_', '-')}`;
  const key = flag.slice(2).replaceAll('-', '_');
  const field = fieldOfKey(key) ?? settingFields.find((each) => definitionOf(each).flag?.split(' ')[0] === flag);
  if (field !== undefined && flag !== '--no-ai') return { field, key: definitionOf(field).key };
  const keys = settingFields.map((each) => definitionOf(each).key);
  const nearest = nearestName(key, keys);
  throw new Failure('usage', `There is no setting "${name}".`, {
    hint: `${nearest === null ? '' : `Did you mean ${nearest}? `}Allowed: ${keys.join(', ')}.`,
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
  return settings[field] ?? definitionOf(field).usedDefault?.[settings.mode] ?? null;
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
