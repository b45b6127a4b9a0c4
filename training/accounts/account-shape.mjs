// Describes how an account name is derived from its owner's name, for reports by shape.
import { toAscii } from '../corpora/to-ascii.mjs';

/** The shape of an account name. `name` is the owner's full name, or empty. */
export function shapeOf(account, name) {
  const letters = account.replaceAll(/[^a-z]/g, '');
  const words = account.split(/[^a-z]+/).filter((word) => word !== '');
  const parts = toAscii(name)
    .toLowerCase()
    .replaceAll(/['’`]/g, '')
    .split(/[^a-z]+/)
    .filter((part) => part !== '');
  if (letters === '') return 'digits alone';
  if (/[a-z][0-9]+[a-z]/.test(account)) return 'digits inside';
  const numbered = /[0-9]/.test(account) ? ' + number' : '';
  if (parts.length < 2) return numbered === '' ? lengthShape(letters) : 'with a number';
  const shape = namedShape(letters, words, parts);
  if (numbered !== '') return shape === 'initials' ? 'initials + number' : 'with a number';
  return shape;
}

function namedShape(letters, words, parts) {
  const first = parts[0];
  const last = parts.at(-1);
  const initials = parts.map((part) => part[0]).join('');
  if (letters.length <= 4 && (letters === initials || letters === first[0] + last[0])) return 'initials';
  if (words.length > 1 && words.every((word) => parts.some((part) => part.startsWith(word)))) return 'names with a dot';
  if (parts.includes(letters)) return letters === first ? 'first name' : 'surname';
  if (letters === first + last || letters === last + first || letters === parts.join('')) return 'names without a dot';
  for (const [one, other] of [
    [first, last],
    [last, first],
  ]) {
    if (letters === one[0] + other || letters === initials.slice(0, -1) + last) return 'initial(s) + surname';
    if (letters === other + one[0]) return 'surname + initial(s)';
  }
  if (letters.length <= 8 && letters.length >= 4 && isTruncated(letters, parts)) return 'cut short';
  return lengthShape(letters);
}

/** Whether it is the beginnings of two names, as under the old limit of eight letters. */
function isTruncated(letters, parts) {
  for (let at = 1; at <= letters.length; at++) {
    const [head, tail] = [letters.slice(0, at), letters.slice(at)];
    if (parts.some((part) => part.startsWith(head)) && parts.some((part) => part.startsWith(tail))) return true;
  }
  return false;
}

function lengthShape(letters) {
  return letters.length <= 4
    ? 'nickname, up to 4 letters'
    : letters.length <= 8
      ? 'nickname, 5 to 8 letters'
      : 'nickname, 9 letters and more';
}
