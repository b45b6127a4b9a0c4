import { definitions } from '../../../settings/definitions.js';
import type { RawFlags } from '../../flags/read-common-flags.js';

/** A command line that needs no commander to be read, with flags as commander would give them. */
export interface PlainLine {
  emails: string[];
  flags: RawFlags;
}

/**
 * Reads `validate ADDRESS… [--json] [--level LEVEL]`, which scripts run for one address after the other; null for every other command line.
 * Loading commander takes as long as the rest of such a run.
 */
export function readPlainLine([command, ...words]: readonly string[]): PlainLine | null {
  if (command !== 'validate') return null;
  const emails: string[] = [];
  const flags: RawFlags = {};
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    if (word === '--json') flags['json'] = true;
    else if (word === '--level' && isLevel(words[index + 1])) flags['level'] = words[++index];
    else if (word === '' || word.startsWith('-')) return null;
    else emails.push(word);
  }
  return emails.length === 0 ? null : { emails, flags };
}

function isLevel(word: string | undefined): boolean {
  return word !== undefined && definitions.level.kind.choices?.includes(word) === true;
}
