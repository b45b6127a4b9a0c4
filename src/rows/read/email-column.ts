import { Failure } from '../../model/failure.js';
import { nearestName } from '../../model/nearest-name.js';
import { isVerdictColumn } from '../table/verdict-columns.js';
import { holdsAddress, isBareAddress } from './find-addresses.js';

/** Columns that are weighed: as many as a spreadsheet holds. To look at a hundred thousand would keep everybody else waiting. */
export const mostColumns = 16_384;

/** What a column of addresses is called, in the languages we know of. Case, accents, spaces and punctuation do not count. */
const namesInUse = `email, emails, e-mail address, email addresses, email addr, email id, mail, mails, mail address, primary email, user email,
  contact email, work email, customer email, subscriber email, email business, e-mail-adresse, mailadresse, mail-adresse,
  emailadres, e-mailadres, epost, e-post, e-postadress, e-postadresse, epostadresse, sähköposti, sähköpostiosoite, netfang,
  tölvupóstur, correo, correos, correo electrónico, dirección de correo, dirección de correo electrónico, dirección de email,
  courriel, courriels, mél, adresse mail, adresse e-mail, adresse email, adresse électronique, adresse courriel,
  posta elettronica, indirizzo email, indirizzo mail, indirizzo e-mail, indirizzo di posta elettronica, correu, correu electrònic,
  endereço de email, endereço de e-mail, correio eletrônico, correio electrónico, adres e-mail, adres email, poczta, poczta
  elektroniczna, adres poczty elektronicznej, emailová adresa, e-mailová adresa, e-mail cím, e-mailcím, adresă de email,
  adresa de e-mail, adresa e-pošte, e-pošta, e-posta, eposta, e-posta adresi, elektronik posta, el. paštas, e-pasts, e-pasta adrese,
  электронная почта, эл. почта, почта, имейл, емейл, мейл, адрес электронной почты, адрес эл. почты, електронна пошта, пошта,
  имейл адрес, ηλεκτρονικό ταχυδρομείο, ηλεκτρονική διεύθυνση, メール, メールアドレス, eメール, 電子メール, 邮箱, 邮件, 电子邮件, 电子邮箱, 电邮, 邮箱地址,
  電子郵件, 電子郵件地址, 電郵, 信箱, 电子邮件地址, 이메일, 이메일 주소, 메일, 메일주소, 전자우편, البريد الإلكتروني, البريد الالكتروني, ایمیل, אימייל, דוא"ל,
  דואר אלקטרוני, ईमेल, ईमेल पता, อีเมล, อีเมล์, surel, thư điện tử`;

let exactNames: ReadonlySet<string> | null = null;

/** Made when the first name is looked at: lists without a header need not wait for it. */
function isExactName(plain: string): boolean {
  exactNames ??= new Set(namesInUse.split(',').map(bare));
  return exactNames.has(plain);
}

/** Words that make another thing of a name with "mail" in it: a flag, a date, or a postal address ("Mailing City"). */
const otherThings =
  /mailing|status|sent|opt|verif|valid|count|date|time|subject|domain|type|template|campaign|open|click|bounce|format|body|provider|server|client|list|prefer|consent|hash|frequency|voicemail|score|result|reason/;

/** How surely a name is that of a column of addresses: 2 it is, 1 it may be, 0 nothing says so. */
export function nameRank(name: string): 0 | 1 | 2 {
  const plain = bare(name);
  if (isExactName(plain) || isExactName(plain.replace(/(?<!\d)\d+$/, ''))) return 2;
  return /mail|courriel|correo|epost/.test(plain) && !otherThings.test(plain) ? 1 : 0;
}

/** The column that holds the addresses, by its name, by what is in it and by how full it is; null where nothing points to one. */
export function findEmailColumn(header: readonly string[] | null, rows: readonly (readonly string[])[]): number | null {
  const width = rows.reduce((most, row) => Math.max(most, row.length), header?.length ?? 0);
  const weighed = Math.min(width, mostColumns);
  let best: { column: number; score: number; full: number } | null = null;
  for (let column = 0; column < weighed; column++) {
    // Suggestions of an earlier run are addresses, too, but not those to vet.
    if (isVerdictColumn(header?.[column] ?? '')) continue;
    const rank = nameRank(header?.[column] ?? '');
    const { share, full } = addressShare(rows, column);
    // A list full of faults still has its name; a name with few addresses under it gives way to a column full of them.
    const score = rank * 1.5 + (share >= 0.5 ? 4 : share > 0 ? 1.5 : 0) + 3 * full;
    if (score > 0 && (best === null || score > best.score || (score === best.score && full > best.full))) {
      best = { column, score, full };
    }
  }
  return best?.column ?? (width === 1 ? 0 : null);
}

/** Of what stands in a column the share that is an address, and of all rows the share that has one there. A text around it counts less. */
function addressShare(rows: readonly (readonly string[])[], column: number): { share: number; full: number } {
  let filled = 0;
  let found = 0;
  for (const row of rows) {
    const cell = row[column] ?? '';
    if (cell.trim() === '') continue;
    filled++;
    if (isBareAddress(cell)) found++;
    else if (holdsAddress(cell)) found += 0.4;
  }
  return { share: filled === 0 ? 0 : found / filled, full: rows.length === 0 ? 0 : found / rows.length };
}

/** The columns that were asked for: one, or several with commas between them. */
export function columnsByName(wanted: string, columns: readonly string[]): [number, ...number[]] {
  const names = wanted.split(',').map((name) => name.trim());
  const whole = columns.some((name) => name === wanted || bare(name) === bare(wanted));
  if (names.length === 1 || whole || names.includes('')) return [columnByName(wanted, columns)];
  const [first = 0, ...others] = new Set(names.map((name) => columnByName(name, columns)));
  return [first, ...others];
}

/** The column that was asked for, by its name or by its number from 1. A wrong one is a Failure that lists those there are. */
export function columnByName(wanted: string, columns: readonly string[]): number {
  const byName = [
    (name: string) => name === wanted,
    (name: string) => name.trim().toLowerCase() === wanted.trim().toLowerCase(),
    (name: string) => bare(name) !== '' && bare(name) === bare(wanted),
  ];
  for (const matches of byName) {
    const column = columns.findIndex(matches);
    if (column !== -1) return column;
  }
  if (/^\d+$/.test(wanted) && Number(wanted) >= 1 && Number(wanted) <= columns.length) return Number(wanted) - 1;
  const near = nearestName(wanted, columns);
  throw new Failure('usage', `There is no column ${JSON.stringify(wanted)}.`, {
    hint: `${near === null ? '' : `Did you mean ${JSON.stringify(near)}? `}The columns are: ${listColumns(columns)}.`,
  });
}

/** Column names for a sentence, each with its number. */
export function listColumns(columns: readonly string[]): string {
  const shown = columns.slice(0, 30).map((name, index) => `${index + 1} ${JSON.stringify(name)}`);
  return shown.join(', ') + (columns.length > shown.length ? `, and ${columns.length - shown.length} more` : '');
}

/** A name without accents, case, spaces and punctuation. */
function bare(name: string): string {
  if (/^[\x20-\x7e]*$/.test(name)) return name.replace(/[^a-zA-Z0-9]/g, '').toLowerCase();
  return name
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}
