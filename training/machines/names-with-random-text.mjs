// A person's name with random text before, after or inside, or a complete address inside another.
import { digits, lower, textOf } from './random-text.mjs';

const alphabets = [lower + digits, lower + digits, lower + digits, `${digits}abcdef`, lower, `${lower}234567`];
const optionalSeparators = ['', '', '.', '-', '_', '='];
const words = 'bounce bounces return reply notify user list news mail owner request confirm track msg ref id'.split(
  ' ',
);
const endings = ['com', 'net', 'org', 'de', 'fr', 'it', 'es', 'nl', 'pl', 'co.uk', 'com.br', 'edu', 'io', 'co.jp'];

/** Random text. Letters alone are longer, because a few may be another name. */
function randomText(random) {
  const alphabet = random.pick(alphabets);
  return textOf(random, alphabet, random.between(alphabet === lower ? 6 : 4, 9));
}

function textAfter(random, name) {
  const separator = random.pick(optionalSeparators);
  return name + separator + randomText(random);
}

function textBefore(random, name) {
  const separator = random.pick(optionalSeparators);
  return randomText(random) + separator + name;
}

function textInside(random, name) {
  const at = random.between(2, name.length - 2);
  return (
    name.slice(0, at) +
    random.pick(optionalSeparators) +
    randomText(random) +
    random.pick(optionalSeparators) +
    name.slice(at)
  );
}

/** `bounce-123-jane=corp.com` and similar: parts in any order that contain an address. */
function embeddedAddress(random, name) {
  const host = random.chance(0.6) ? name : textOf(random, lower, random.between(4, 8));
  const address = `${name}${random.pick(['=', '=', '=', '-at-', '_at_', '--'])}${host}.${random.pick(endings)}`;
  const parts = Array.from({ length: random.between(0, 3) }, () =>
    random.pick([
      () => random.pick(words),
      () => randomText(random),
      () => textOf(random, digits, random.between(2, 8)),
    ])(),
  );
  return [...parts, address].join(random.pick(['-', '.', '=', '_', '-']));
}

/** Kind → (random, name) → local part. */
export const namesWithRandomText = {
  'name with random text after': textAfter,
  'name with random text before': textBefore,
  'name with random text inside': textInside,
  'an embedded address': embeddedAddress,
};
