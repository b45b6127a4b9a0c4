import { resolve as absolute } from 'node:path';
import { Failure } from '../../../model/failure.js';
import { nearestName } from '../../../model/nearest-name.js';
import { definitionOf, fieldOfKey, type SettingField, settingFields } from '../../../settings/definitions.js';
import { findFolders } from '../../../settings/folders.js';
import { defaultProfile, readSettingsFile } from '../../../settings/read-file.js';
import { isProfileName, parseValue } from '../../../settings/resolve.js';
import { maskSecret } from '../../../settings/secrets.js';
import { changeSettingsFile, withValue } from '../../../settings/write-file.js';
import type { Context } from '../../context.js';
import { sanitize } from '../../terminal/sanitize.js';

/** Shows every setting with its source. */
export async function runConfigList(context: Context, { json }: { json: boolean }): Promise<number> {
  const { stdout } = context.terminal;
  const { settings, sources } = context.resolved();
  if (json) {
    const entries = settingFields.map((field) => [
      definitionOf(field).key,
      { value: shownJson(field, settings[field]), source: sources[field].from, from: sources[field].name },
    ]);
    const document = { profile: settings.profile, path: settings.configFile, settings: Object.fromEntries(entries) };
    await stdout.write(`${JSON.stringify(document, null, stdout.isTty ? 2 : 0)}\n`);
    return 0;
  }
  if (!stdout.isTty) {
    const lines = settingFields.map(
      (field) => `${definitionOf(field).key}=${sanitize(shown(field, settings[field]))}\n`,
    );
    await stdout.write(lines.join(''));
    return 0;
  }
  const { renderFittingGrid } = await import('../../render/style/grid.js');
  const rows = settingFields.map((field) => [
    definitionOf(field).key,
    shown(field, settings[field]),
    sources[field].from === 'default' ? 'default' : sources[field].name,
  ]);
  await stdout.write(`Profile ${settings.profile}\n\n${renderFittingGrid(['key', 'value', 'from'], rows, stdout)}`);
  return 0;
}

/** Prints one value; a key is masked. */
export async function runConfigGet(context: Context, { key }: { key: string }): Promise<number> {
  const field = requireField(key);
  const value = context.settings()[field];
  if (value === null) {
    const how = definitionOf(field).secret ? 'mailvet login' : `mailvet config set ${key} VALUE`;
    throw new Failure('not_found', `${key} is not set.`, { hint: `Set it with: ${how}` });
  }
  await context.terminal.stdout.write(`${sanitize(shown(field, value))}\n`);
  return 0;
}

/** Checks and stores one value in the profile. */
export async function runConfigSet(context: Context, { key, value }: { key: string; value: string }): Promise<number> {
  const field = requireField(key);
  const { kind, secret } = definitionOf(field);
  const { profile, configFile } = storedSettings(context);
  if (secret) {
    throw new Failure('usage', 'A key does not belong on a command line, where others can read it.', {
      hint: 'Store it with mailvet login, or mailvet login --key-stdin in a script.',
    });
  }
  const parsed = parseValue(field, value, { from: 'flag', name: 'config set' });
  // Better said now than by every command to come.
  await (await import('../../../service/local/check-setting.js')).checkSetting(field, parsed);
  const encoded = kind.path && typeof parsed === 'string' ? absolute(parsed) : kind.encode(parsed as never);
  await changeSettingsFile(configFile, (stored) => withValue(stored, profile, key, encoded));
  context.note(`${key} is ${sanitize(kind.show(parsed as never))} in the profile ${profile}.`);
  warnIfOverridden(context, field);
  return 0;
}

/** Forgets one stored value; one that is not stored is fine. */
export async function runConfigUnset(context: Context, { key }: { key: string }): Promise<number> {
  const { profile, configFile } = storedSettings(context);
  if (fieldOfKey(key) === undefined && !(key in (readSettingsFile(configFile).stored.profiles[profile] ?? {}))) {
    requireField(key);
  }
  await changeSettingsFile(configFile, (stored) => withValue(stored, profile, key, undefined));
  context.note(`${key} is no longer stored in the profile ${profile}.`);
  return 0;
}

/** Prints the path of the settings file, whether or not it exists. */
export async function runConfigPath(context: Context): Promise<number> {
  await context.terminal.stdout.write(`${findFolders(context.environment).configFile}\n`);
  return 0;
}

/** Makes a profile the one in use. */
export async function runConfigUse(context: Context, { name }: { name: string }): Promise<number> {
  const path = findFolders(context.environment).configFile;
  const { stored } = readSettingsFile(path);
  const known = [...new Set([defaultProfile, ...Object.keys(stored.profiles)])];
  if (!isProfileName(name) || !known.includes(name)) {
    throw new Failure('usage', `There is no profile "${name}".`, {
      hint: `Known: ${known.join(', ')}. Make one with: mailvet login --profile NAME, or mailvet config set KEY VALUE --profile NAME`,
    });
  }
  await changeSettingsFile(path, (before) => ({ ...before, profile: name }));
  context.note(`The profile ${name} is in use.`);
  return 0;
}

function requireField(key: string): SettingField {
  const field = fieldOfKey(key);
  if (field !== undefined) return field;
  const keys = settingFields.map((known) => definitionOf(known).key);
  // A flag's name is a fair guess.
  const near = nearestName(key.replace(/^--/, '').replaceAll('-', '_'), keys);
  throw new Failure('usage', `There is no setting "${key}".`, {
    hint: `${near === null ? '' : `Did you mean ${near}? `}Known: ${keys.join(', ')}.`,
  });
}

/** The profile and file to change. A bad stored value must not keep anyone from mending it. */
function storedSettings(context: Context): { profile: string; configFile: string } {
  try {
    return context.settings();
  } catch (thrown) {
    const path = findFolders(context.environment).configFile;
    const { stored } = readSettingsFile(path);
    const profile = context.profile ?? context.environment['MAILVET_PROFILE'] ?? stored.profile;
    if (thrown instanceof Failure && isProfileName(profile)) return { profile, configFile: path };
    throw thrown;
  }
}

function warnIfOverridden(context: Context, field: SettingField): void {
  const name = `MAILVET_${definitionOf(field).key.toUpperCase()}`;
  if (context.environment[name]) context.note(`${name} is set and wins over what is stored.`);
}

function shown(field: SettingField, value: unknown): string {
  const { kind, secret } = definitionOf(field);
  if (value === null || value === undefined) return '';
  return secret ? maskSecret(String(value)) : kind.show(value as never);
}

function shownJson(field: SettingField, value: unknown): unknown {
  const { kind, secret } = definitionOf(field);
  if (value === null) return null;
  if (secret) return maskSecret(String(value));
  const encoded = kind.encode(value as never);
  return typeof encoded === 'string' ? kind.show(value as never) : encoded;
}
