// Machine-made names that hold a person's: with random text before, behind or within, or as a whole address inside another.
const digits = '0123456789';
const lower = 'abcdefghijklmnopqrstuvwxyz';
const alphabets = [lower + digits, lower + digits, lower + digits, `${digits}abcdef`, lower, `${lower}234567`];
const joints = ['', '', '.', '-', '_', '='];
const words = 'bounce bounces return reply notify user list news mail owner request confirm track msg ref id'.split(
  ' ',
);
const endings = ['com', 'net', 'org', 'de', 'fr', 'it', 'es', 'nl', 'pl', 'co.uk', 'com.br', 'edu', 'io', 'co.jp'];

const textOf = (random, alphabet, length) => Array.from({ length }, () => random.pick(alphabet)).join('');

/** Random text of any alphabet; of letters alone it is longer, since a few may be another name's. */
function noise(random) {
  const alphabet = random.pick(alphabets);
  return textOf(random, alphabet, random.between(alphabet === lower ? 6 : 4, 9));
}

function behind(random, name) {
  const joint = random.pick(joints);
  return name + joint + noise(random);
}

function before(random, name) {
  const joint = random.pick(joints);
  return noise(random) + joint + name;
}

function within(random, name) {
  const at = random.between(2, name.length - 2);
  return name.slice(0, at) + random.pick(joints) + noise(random) + random.pick(joints) + name.slice(at);
}

/** `bounce-123-jane=corp.com` and its like: parts in any order, with an address in them. */
function addressWithin(random, name) {
  const host = random.chance(0.6) ? name : textOf(random, lower, random.between(4, 8));
  const address = `${name}${random.pick(['=', '=', '=', '-at-', '_at_', '--'])}${host}.${random.pick(endings)}`;
  const parts = Array.from({ length: random.between(0, 3) }, () =>
    random.pick([() => random.pick(words), () => noise(random), () => textOf(random, digits, random.between(2, 8))])(),
  );
  return [...parts, address].join(random.pick(['-', '.', '=', '_', '-']));
}

/** Kind → (random, name) → local part. */
export const mixedKinds = {
  'name with random text behind': behind,
  'name with random text before': before,
  'name with random text within': within,
  'an address within': addressWithin,
};
