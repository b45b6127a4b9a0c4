import { join } from 'node:path';
import { readDataLines } from '../../disk/bundled-file.js';
import { conditions, providerRule } from './conditions.js';
import { settleByControls, unlessDoubtful } from './control-rules.js';
import {
  byText,
  byWords,
  groupsAbout,
  groupsWithoutCause,
  type PatternGroup,
  type Reading,
  type ReadingReason,
  type ReplyFacts,
  reading,
} from './reading.js';
import { pattern } from './word-lists.js';

/** The tables of `data/rules.tsv`: before RCPT, and by the class of the reply to RCPT. */
type RuleTable = 'early' | 'deferral' | 'refusal' | 'other';

type Condition = (facts: ReplyFacts) => boolean;

/** A row: what a reply means if all conditions hold. */
interface ReplyRule {
  table: string;
  name: string;
  when: readonly Condition[];
  means(facts: ReplyFacts): Reading;
  /** A reply that the row decides. */
  example: string;
}

let cached: ReplyRule[] | null = null;

/** The rows in order; the first one that applies counts, and the last one of a table applies to everything. */
export function replyRules(): readonly ReplyRule[] {
  cached ??= readDataLines(join(import.meta.dirname, 'data/rules.tsv'), 'utf8')
    .slice(1)
    .filter((line) => !line.startsWith('#'))
    .map((line) => {
      const [table = '', name = '', when = '', means = '', example = ''] = line.split('\t');
      const terms = when === '' ? [] : when.split(' ');
      return { table, name, when: terms.map(parseCondition), means: parseMeaning(means), example };
    });
  return cached;
}

/** The reading of the first rule of a table that applies. */
export function readByRules(table: RuleTable, facts: ReplyFacts): Reading {
  for (const rule of replyRules()) {
    if (rule.table !== table || !rule.when.every((isMet) => isMet(facts))) continue;
    const read = rule.means(facts);
    // A rule that asks the controls keeps the name of the control rule.
    return read.decidedBy === read.rule ? { ...read, decidedBy: rule.name } : read;
  }
  throw new Error(`The table ${table} has no last rule.`);
}

const groupClasses: Record<string, readonly PatternGroup[]> = {
  $client: groupsAbout('client'),
  $mailbox: groupsAbout('mailbox'),
  $unclear: groupsAbout('unclear'),
  $without_cause: groupsWithoutCause,
};

/** `code=550,551`, `detail=1.1,7.*`, `group=$client,policy` `text~later` or a named condition; `!` negates, `?` also allows no group, `-` is none. */
function parseCondition(term: string): Condition {
  const [, property, sign, list = ''] = /^(code|detail|group)([=!?])(.*)$/.exec(term) ?? [];
  if (property === undefined) return patternCondition(term) ?? namedCondition(term);
  const values = list.split(',').flatMap((value) => groupClasses[value] ?? (value === '-' ? '' : value));
  const prefixes = values.filter((value) => value.endsWith('*')).map((value) => value.slice(0, -1));
  const isListed = (value: string): boolean =>
    values.includes(value) || prefixes.some((prefix) => value.startsWith(prefix) && value !== '');
  if (property === 'code') return ({ reply }) => isListed(String(reply.code)) === (sign === '=');
  if (property === 'detail') return ({ detail }) => isListed(detail) === (sign === '=');
  if (sign === '?') return ({ group }) => group === null || isListed(group);
  return ({ group }) => isListed(group ?? '') === (sign === '=');
}

/** `text~NAME`, `bare~NAME`: the text matches the pattern; `text!NAME`: it does not. */
function patternCondition(term: string): Condition | null {
  const [, property, sign, name = ''] = /^(text|bare)([~!])(\w+)$/.exec(term) ?? [];
  if (property === undefined) return null;
  return ({ reply, bare }) => pattern(name).test(property === 'text' ? reply.text : bare) === (sign === '~');
}

function namedCondition(term: string): Condition {
  const isNegated = term.startsWith('!');
  const name = isNegated ? term.slice(1) : term;
  const condition = Object.hasOwn(conditions, name) ? conditions[name as keyof typeof conditions] : null;
  if (condition === null) throw new Error(`There is no condition ${name}.`);
  return isNegated ? (facts) => !condition(facts) : condition;
}

/** `text`: what the phrase means. Otherwise what decides, the reason and its certainty; `by_controls` and `unless_doubtful` go first. */
function parseMeaning(text: string): ReplyRule['means'] {
  const [source = '', ...rest] = text.split(' ');
  if (source === 'by_controls' || source === 'unless_doubtful') {
    const means = parseMeaning(rest.join(' '));
    const wrap = source === 'by_controls' ? settleByControls : unlessDoubtful;
    return (facts) => wrap(facts, means(facts));
  }
  const [reason, certainty] = [rest[0] as ReadingReason, Number(rest[1])];
  switch (source) {
    case 'text':
      return ({ match }) => byText(match);
    case 'words':
      return ({ match }) => byWords(match, reason, certainty);
    case 'absence':
      return ({ match }) => ({ ...byWords(match, reason, certainty), saysAbsent: true });
    case 'enhanced':
      return ({ reply }) => reading(reason, `enhanced:${reply.enhanced}`, certainty);
    case 'basic':
      return ({ reply }) => reading(reason, `basic:${reply.code}`, certainty);
    case 'stage':
      return ({ reply }) => reading(reason, `stage:${reply.stage}`, certainty);
    case 'provider':
      return readByProvider;
    default:
      throw new Error(`There is no meaning ${text}.`);
  }
}

function readByProvider(facts: ReplyFacts): Reading {
  const { words, means } = providerRule(facts) ?? { words: '', means: 'antispam_system' as const };
  return { ...reading(means, 'provider:reply', means === 'antispam_system' ? 0.5 : 0.95), phrase: words };
}
