import { join } from 'node:path';
import { readDataLines } from '../../disk/bundled-file.js';
import { distinctNames } from '../../model/distinct-names.js';
import { Failure } from '../../model/failure.js';
import { nearestName } from '../../model/nearest-name.js';
import { isVerdictColumn } from '../table/verdict-columns.js';
import { containsAddress, isBareAddress } from './find-addresses.js';

/** More columns would take too long to rate. */
export const maxRatedColumns = 2_000;

const namesFile = join(import.meta.dirname, 'data/email-columns.txt');
let exactNames: ReadonlySet<string> | null = null;

/** Whether it is a name of email columns, of which `data/email-columns.txt` has those of many languages. */
function isExactName(plain: string): boolean {
  exactNames ??= new Set(readDataLines(namesFile, 'utf8').flatMap((line) => line.split(', ').map(normalizeName)));
  return exactNames.has(plain);
}

/** Words that change the meaning of a name with "mail" in it: a flag, a date, or a postal address ("Mailing City"). */
const otherMeanings =
  /mailing|status|sent|opt|verif|valid|count|date|time|subject|domain|type|template|campaign|open|click|bounce|format|body|provider|server|client|list|prefer|consent|hash|frequency|voicemail|score|result|reason/;

/** Other people than the contact of the row: `Owner Email`, `created_by_email`, `E-Mail Vertreter`. */
const otherPeople = new RegExp(
  [
    'owner|creat|modif|updat|referr|assign|manager|agent|salesrep|salesperson|accountexec|assistant|sender|from|reply|cc$|supervisor',
    'parent|spouse|emergency|seller|submitter|teacher|invitedby|vertret|besitzer|ersteller|erstelltvon|betreuer|sachbearbeit|inhaber',
    'verantwortlich|zustandig|proprietaire|responsable|representant|propietario|proprietario|comercial|vendedor|eigenaar|verkoper',
    'opiekun|wlasciciel|владел|ответствен|менеджер|担当|所有者|作成者|更新者|オーナー',
  ].join('|'),
);

/** A further mailbox of the same person: `Email 2`, `Secondary Email`. */
const secondaryMailbox =
  /(?<!\d)[2-9](?!\d)|second|sekund|secund|alternat|additional|recovery|zweite|dodatkow|дополнит|別/;

/** Domains of mail providers; `user.email` is none. */
const mailDomain = /^[a-z\d.-]*mail[a-z\d.-]*\.(?:at|br|ch|cn|com|cz|de|es|eu|fr|in|it|jp|net|nl|org|pl|ru|uk)$/i;

/** Whether a name is that of an email column: 2 yes, 1 maybe, 0 no sign of it. */
export function nameRank(name: string): 0 | 1 | 2 {
  // `gmail.com` is a cell, not a name.
  if (mailDomain.test(name)) return 0;
  const plain = normalizeName(name);
  if (isExactName(plain) || isExactName(plain.replace(/(?<!\d)\d+$/, ''))) return 2;
  const isMail =
    /mail|courriel|correo|epost|messagerie|electronique|elettronica|элпочт|электронн|メール/.test(plain) &&
    !otherMeanings.test(plain);
  return isMail && !otherPeople.test(plain) ? 1 : 0;
}

/** A column with addresses, and how well it is suited. */
interface RatedColumn {
  column: number;
  rank: 0 | 1 | 2;
  isPlain: boolean;
  isOtherPerson: boolean;
  isSecondary: boolean;
  /** The share of addresses among its filled cells, and among all rows. */
  share: number;
  filledShare: number;
}

/** The email column, and another one that may be meant; null if nothing indicates one. */
export function findEmailColumn(
  header: readonly string[] | null,
  rows: readonly (readonly string[])[],
): { column: number; alternative: number | null } | null {
  const width = rows.reduce((most, row) => Math.max(most, row.length), header?.length ?? 0);
  const columns = Array.from({ length: Math.min(width, maxRatedColumns) }, (_, column) => column)
    // Suggestions of an earlier run are addresses too, but not those to vet.
    .filter((column) => !isVerdictColumn(header?.[column] ?? ''))
    .map((column): RatedColumn => {
      const name = header?.[column] ?? '';
      const plain = normalizeName(name);
      const isOtherPerson = nameRank(name) < 2 && otherPeople.test(plain);
      const names = { rank: nameRank(name), isPlain: isPlainName(name), isOtherPerson };
      return { column, ...names, isSecondary: secondaryMailbox.test(plain), ...addressShare(rows, column) };
    })
    .filter(({ rank, filledShare: full }) => rank > 0 || full > 0)
    .sort((one, other) => scoreOf(other) - scoreOf(one));
  const [best, next] = columns;
  if (best === undefined) return width === 1 ? { column: 0, alternative: null } : null;
  // A name that says email is certain, unless another column ranks equally or has far more addresses.
  const hasAlternative =
    next !== undefined &&
    next.share >= 0.5 &&
    (next.rank === best.rank || next.filledShare > 2 * best.filledShare) &&
    !(best.rank === 2 && best.filledShare >= 0.5 && next.filledShare < minFilledShare);
  return { column: best.column, alternative: hasAlternative ? next.column : null };
}

/** A column that is nearly empty is not the one that was meant if another has as good a name. */
const minFilledShare = 0.1;

/**
 * A name that says email wins if there are any addresses, however full another column is; of equal names, the first.
 * Without such a name the content decides. Columns of other people come last.
 */
function scoreOf(column: RatedColumn): number {
  const { rank, isPlain, share, filledShare } = column;
  const byContent = (share >= 0.5 ? 4 : share > 0 ? 1.5 : 0) + 3 * filledShare;
  const byName = filledShare > 0 && isPlain ? 30 : rank > 0 && share >= 0.5 ? 20 : 0;
  const penalty = (column.isOtherPerson ? 12 : 0) + (column.isSecondary ? 1 : 0);
  const isNearlyEmpty = !isPlain && filledShare < minFilledShare;
  return byName + rank * 1.5 + (byName === 0 ? byContent : isNearlyEmpty ? -2 : 0) - penalty;
}

/** Whether a name has no qualifier: `work email` and `private email` rank equally. */
function isPlainName(name: string): boolean {
  return nameRank(name) === 2 && !/^(?:user|contact|work|customer|subscriber)/.test(normalizeName(name));
}

/** The share of addresses among the filled cells of a column, and among all rows. An address within other text counts less. */
function addressShare(rows: readonly (readonly string[])[], column: number): { share: number; filledShare: number } {
  const cells = rows.map((row) => row[column] ?? '').filter((cell) => cell.trim() !== '');
  const weigh = (cell: string): number => (isBareAddress(cell) ? 1 : containsAddress(cell) ? 0.4 : 0);
  const addresses = cells.reduce((sum, cell) => sum + weigh(cell), 0);
  return { share: addresses / Math.max(1, cells.length), filledShare: addresses / Math.max(1, rows.length) };
}

/** The requested columns: one, or several with commas between them. */
export function columnsByName(requested: string, columns: readonly string[]): [number, ...number[]] {
  const names = requested.split(',').map((name) => name.trim());
  const whole = columns.some((name) => name === requested || normalizeName(name) === normalizeName(requested));
  if (names.length === 1 || whole || names.includes('')) return [columnByName(requested, columns)];
  const indexes: number[] = [];
  for (const name of names) {
    const column = columnByName(name, columns);
    // The second `email` of `email,email` is the second column of that name.
    const next = columns.findIndex((each, at) => each === columns[column] && !indexes.includes(at) && at >= column);
    if (!indexes.includes(column)) indexes.push(column);
    else if (next !== -1) indexes.push(next);
  }
  const [first = 0, ...others] = indexes;
  return [first, ...others];
}

/** The requested column by its name or its number from 1. An unknown one is a Failure that lists the columns. */
export function columnByName(requested: string, columns: readonly string[]): number {
  const exact = distinctNames(columns).indexOf(requested);
  if (exact !== -1) return exact;
  const byName = [
    (name: string) => name.trim().toLowerCase() === requested.trim().toLowerCase(),
    (name: string) => normalizeName(name) !== '' && normalizeName(name) === normalizeName(requested),
  ];
  for (const matches of byName) {
    const column = columns.findIndex(matches);
    if (column !== -1) return column;
  }
  if (/^\d+$/.test(requested) && Number(requested) >= 1 && Number(requested) <= columns.length)
    return Number(requested) - 1;
  const nearest = nearestName(requested, columns);
  throw new Failure('usage', `There is no column ${JSON.stringify(requested)}.`, {
    hint: `${nearest === null ? '' : `Did you mean ${JSON.stringify(nearest)}? `}The columns are: ${listColumns(columns)}.`,
  });
}

/** Column names for a sentence, each with its number. */
export function listColumns(columns: readonly string[]): string {
  const listed = distinctNames(columns.slice(0, 30)).map((name, index) => `${index + 1} ${JSON.stringify(name)}`);
  return listed.join(', ') + (columns.length > listed.length ? `, and ${columns.length - listed.length} more` : '');
}

/** A name without accents, case, spaces and punctuation. */
function normalizeName(name: string): string {
  if (/^[\x20-\x7e]*$/.test(name)) return name.replace(/[^a-zA-Z0-9]/g, '').toLowerCase();
  return name
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}
