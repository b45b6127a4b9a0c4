import { type Definition, definitionOf, engineSettings } from '../../../settings/definitions.js';
import { attributeOf, type RawFlags } from '../../flags/read-common-flags.js';

/** A command line that needs no commander to be read, with flags as commander would give them. */
interface PlainLine {
  emails: string[];
  flags: RawFlags;
}

/**
 * Reads `validate ADDRESS… [--json] [--SETTING VALUE]…`, which scripts run for one address after the other; null for every other
 * command line. Loading commander takes as long as the rest of such a run.
 */
export function readPlainLine([command, ...words]: readonly string[]): PlainLine | null {
  if (command !== 'validate') return null;
  const emails: string[] = [];
  const flags: RawFlags = {};
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    if (word === '--json') flags['json'] = true;
    else if (word.startsWith('--')) {
      if (!readSetting(word, words[++index] ?? '', flags)) return null;
    } else if (word === '' || word.startsWith('-')) return null;
    else emails.push(word);
  }
  return emails.length === 0 ? null : { emails, flags };
}

function readSetting(word: string, value: string, flags: RawFlags): boolean {
  const setting = engineSettings.map(definitionOf).find(({ flag }) => flag?.startsWith(`${word} <`));
  if (setting === undefined || !isValueOf(setting, value)) return false;
  const name = attributeOf(word);
  const before = flags[name];
  flags[name] = setting.kind.list ? [...(Array.isArray(before) ? before : []), value] : value;
  return true;
}

function isValueOf({ kind }: Definition<unknown>, value: string): boolean {
  if (value === '' || value.startsWith('-')) return false;
  return kind.choices === undefined || kind.choices.includes(value);
}
