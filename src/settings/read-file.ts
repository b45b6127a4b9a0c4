import { closeSync, fstatSync, readFileSync } from 'node:fs';
import { openRegularFile } from '../disk/own-file.js';
import { Failure } from '../model/failure.js';
import { passwordsIn } from './secrets.js';

/** One profile, as stored. */
export type StoredValues = Record<string, unknown>;

export interface StoredSettings {
  profile: string;
  profiles: Record<string, StoredValues>;
}

/** The stored settings, and warnings about the file. */
export interface SettingsFile {
  path: string;
  stored: StoredSettings;
  notes: string[];
}

export const defaultProfile = 'default';

const maxBytes = 1024 * 1024;

/** A missing file is empty. */
export function readSettingsFile(path: string): SettingsFile {
  let descriptor: number | null;
  try {
    descriptor = openRegularFile(path, maxBytes);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return { path, stored: emptySettings(), notes: [] };
    throw unreadable(path, error);
  }
  if (descriptor === null) throw corrupt(path, 'it is not a regular file of at most 1 MB');
  try {
    const stored = parseStored(path, readFileSync(descriptor, 'utf8'));
    return { path, stored, notes: modeNotes(path, fstatSync(descriptor).mode, stored) };
  } catch (error) {
    throw error instanceof Failure ? error : unreadable(path, error);
  } finally {
    closeSync(descriptor);
  }
}

function emptySettings(): StoredSettings {
  return { profile: defaultProfile, profiles: {} };
}

function parseStored(path: string, text: string): StoredSettings {
  if (text.trim() === '') return emptySettings();
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    // The parser's message quotes the text, which may contain a key.
    throw corrupt(path, 'it is not JSON');
  }
  if (!isRecord(data)) throw corrupt(path, 'it is not a JSON object');
  const profile = data['profile'] ?? defaultProfile;
  const profiles = data['profiles'] ?? {};
  if (typeof profile !== 'string') throw corrupt(path, '"profile" is not a string');
  if (!isRecord(profiles)) throw corrupt(path, '"profiles" is not an object');
  const sections = Object.entries(profiles).map(([name, values]) => {
    if (!isRecord(values)) throw corrupt(path, `the profile "${name}" is not an object`);
    return [name, values] as const;
  });
  return { profile, profiles: Object.fromEntries(sections) };
}

function modeNotes(path: string, mode: number, stored: StoredSettings): string[] {
  if (!containsSecret(stored) || process.platform === 'win32' || (mode & 0o077) === 0) return [];
  return [`${path} contains a secret, and others on this machine can read it. Run: chmod 600 '${path}'`];
}

/** Whether a profile has a key, or a URL with a password. */
export function containsSecret({ profiles }: StoredSettings): boolean {
  return Object.values(profiles).some((values) =>
    Object.entries(values).some(
      ([name, value]) => name === 'api_key' || (typeof value === 'string' && passwordsIn(value).length > 0),
    ),
  );
}

function corrupt(path: string, problem: string): Failure {
  return new Failure('usage', `The settings file ${path} cannot be used: ${problem}.`, {
    hint: `Fix it, or move it away (mv '${path}' '${path}.bad') and start again with mailvet login or mailvet config set.`,
  });
}

function unreadable(path: string, cause: unknown): Failure {
  return new Failure('usage', `The settings file ${path} cannot be read (${codeOf(cause) ?? 'unknown error'}).`, {
    hint: 'Check who owns it, or name another folder with MAILVET_CONFIG_DIR.',
    cause,
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
