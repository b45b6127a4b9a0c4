import { existsSync, lstatSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isOpenToOthers } from '../../disk/private-folder.js';
import { readDataSources } from '../../engine/lists/data-sources.js';
import {
  findLists,
  installedDate,
  readInstalledLists,
  type UpdatableList,
  updatableLists,
} from '../../engine/lists/installed-lists.js';
import { Failure } from '../../model/failure.js';
import { type Check, fail, failedWith, ok, warn } from './check.js';

const oldestNode = [20, 18, 1] as const;
const dayMs = 86_400_000;
/** Disposable domains change weekly; older lists miss many. */
const staleDays = 180;

export function checkNode(version: string = process.versions.node): Check {
  const parts = version.split('.').map(Number);
  const facts = { version };
  const differingPart = oldestNode.findIndex((wanted, index) => wanted !== (parts[index] ?? 0));
  if (differingPart === -1 || (parts[differingPart] ?? 0) > (oldestNode[differingPart] ?? 0)) {
    return ok('node', `Node ${version} is recent enough.`, { facts });
  }
  return fail('node', 'unsupported', `Node ${version} is older than ${oldestNode.join('.')}.`, {
    hint: 'Install a current release of Node.',
    facts,
  });
}

export interface SettingsFacts {
  path: string;
  /** Why it cannot be used; null if it can. */
  problem: Failure | null;
  containsSecret: boolean;
  /** Warnings about its content. */
  notes: readonly string[];
  /** The environment variables that set something. */
  variables?: readonly string[];
}

/** Checks that the settings can be used, and only by their owner. */
export function checkSettings(
  settings: SettingsFacts,
  platform: string = process.platform,
  isOpen = isOpenToOthers,
): Check {
  const { path, problem, containsSecret, notes, variables = [] } = settings;
  const facts = { path };
  if (problem !== null) return failedWith('settings', problem, { facts });
  const stats = statOf(path);
  if (stats === null) {
    const sources = variables.length === 0 ? 'defaults' : `${variables.join(', ')} and defaults`;
    return ok('settings', `There is no settings file; ${sources} apply.`, { facts });
  }
  const folder = statOf(dirname(path));
  const isPrivate = platform === 'win32' || !isOpen(dirname(dirname(path)));
  const modeFixes = isPrivate ? [] : [modeFix(path, stats, '600'), modeFix(dirname(path), folder, '700')];
  const fixes = modeFixes.filter((fix) => fix !== null);
  const modes = { ...facts, mode: modeText(stats), directory_mode: folder === null ? null : modeText(folder) };
  if (fixes.length > 0) {
    const extra = { hint: `Run: ${fixes.join(' && ')}`, facts: modes };
    // Reading a file also needs the right to search its folder.
    const search = ((folder?.mode ?? 0o777) & 0o011) << 2;
    if ((stats.mode & 0o044 & search) === 0)
      return warn('settings', 'Others on this machine have access to the settings, but cannot read them.', extra);
    if (!containsSecret) return warn('settings', 'Others on this machine can read the settings.', extra);
    const message = 'Others on this machine can read the settings, which contain a secret.';
    return fail('settings', 'bad_input', message, extra);
  }
  const [note] = notes;
  if (note !== undefined) return warn('settings', note, { facts: modes });
  return ok('settings', `${path} can be read, and only by its owner.`, { facts: modes });
}

/** `folder`: the lists folder of the data directory. */
export function checkLists(
  now: number,
  folder: string | null = null,
  read: typeof readDataSources = readDataSources,
): Check {
  let sources: ReturnType<typeof readDataSources>;
  try {
    sources = read();
  } catch (thrown) {
    const message = thrown instanceof Failure ? thrown.message : 'The bundled lists cannot be read.';
    return fail('lists', 'storage', message, { hint: 'Install mailvet again.' });
  }
  if (folder !== null && existsSync(join(folder, 'current.json')) && readInstalledLists(folder) === null) {
    return warn('lists', 'The installed lists are damaged, so the bundled ones are used.', {
      hint: 'Run "mailvet lists update" again, or "mailvet lists update --from bundled".',
    });
  }
  const { installed } = findLists(folder);
  const { files } = sources;
  const dateOf = (file: UpdatableList): string | null => (installed === null ? null : installedDate(installed, file));
  // The list of disposable domains ages fastest.
  const disposableDate = dateOf('disposable.txt');
  const generated = disposableDate ?? sources.generated;
  const others = updatableLists
    .map((file) => ({ file, date: dateOf(file) ?? sources.generated }))
    .filter(({ date }) => date !== generated);
  const ageDays = Math.max(0, Math.floor((now - Date.parse(generated)) / dayMs));
  const entries = files.reduce((sum, file) => sum + file.entries, 0);
  const origin = disposableDate === null ? 'bundled' : 'installed';
  const facts = { generated, age_days: ageDays, origin, entries, files: files.map(({ file }) => file) };
  const age = ageDays === 0 ? 'today' : ageDays === 1 ? 'yesterday' : `${ageDays} days ago`;
  const otherDates = others.map(({ file, date }) => `, ${file} on ${date}`).join('');
  const message = `The ${origin} lists were built ${age} (${generated})${otherDates}.`;
  if (ageDays <= staleDays) return ok('lists', message, { facts });
  return warn('lists', message, {
    hint: 'Update mailvet, run "mailvet lists update", or add your own domains with the setting deny_list.',
    facts,
  });
}

/** The command that removes the access of others; null if they have none. */
function modeFix(path: string, stats: Stats | null, mode: string): string | null {
  return stats === null || (stats.mode & 0o077) === 0 ? null : `chmod ${mode} '${path}'`;
}

function statOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    // A dangling link exists, and is not a settings file.
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  }
}

/** The mode as text, for example `0600`. */
export function modeText(stats: Stats): string {
  return `0${(stats.mode & 0o777).toString(8).padStart(3, '0')}`;
}
