import { patternGroups } from './pattern-groups.js';
import { englishPatterns } from './patterns-english.js';
import { localisedPatterns } from './patterns-localised.js';
import { contains, type Echo, fold, phrase, withoutEchoes } from './phrases.js';
import type { ReplyRule } from './rules.js';

/** The phrase of the table that a rule such as `text:quota` or `own:quota` found in a reply, for people; null for other rules. */
export function phraseBehind(rule: string, text: string, echo: Echo, extra: readonly ReplyRule[] = []): string | null {
  const [kind, name] = rule.split(':');
  const group = patternGroups.find((each) => each === name);
  if (group === undefined || (kind !== 'text' && kind !== 'own')) return null;
  const folded = fold(withoutEchoes(text, echo));
  const phrases =
    kind === 'own'
      ? extra.filter((row) => row.group === group).map((row) => row.phrase)
      : [...englishPatterns[group], ...(localisedPatterns[group] ?? [])].map(([words]) => words);
  return phrases.find((words) => contains(folded, phrase(words))) ?? null;
}
