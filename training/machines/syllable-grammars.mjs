// Pronounceable text of no language. Each grammar samples its sounds and patterns once. There are many, so that the model learns what
// they have in common.
import { joined } from './random-text.mjs';

const kindCount = 12;
const grammarsOfAKind = 40;
const singles = 'b c d f g h j k l m n p q r s t v w x y z'.split(' ');
const clusters =
  'bl br ch cl cr dr dw fl fr gh gl gn gr kl kn kr ll ph pl pr ps qu rh sc sch sh sk sl sm sn sp st str sw th tr ts tw vl vr wh wr zh'.split(
    ' ',
  );
const endings = 'ck ft gs ld lk ll lm lt mp nd ng nk ns nt ps rd rk rm rn rt sh sk ss st th ts x z'.split(' ');
const nuclei = 'a e i o u a e i o u a e i o u y'.split(' ');
const pairs = 'aa ae ai ao au ea ee ei eo eu ia ie io oa oe oi oo ou ua ue ui uo'.split(' ');
const forms = ['cv', 'cv', 'cvc', 'cvc', 'vc', 'v', 'cvv', 'cvcv', 'vcv', 'cvvc'];
const optionalSeparators = ['', '', '', '', '', '-', '.', '_'];

/** Shorter text may be a name. */
const shortest = 5;

/** Kind → (rng) → local part; each kind is a part of the grammars. */
export function syllableGrammarKinds(random) {
  return Object.fromEntries(
    Array.from({ length: kindCount }, (_, at) => {
      const grammars = Array.from({ length: grammarsOfAKind }, () => grammar(random));
      return [`syllable grammars ${at + 1}`, (rng) => rng.pick(grammars)(rng)];
    }),
  );
}

function grammar(random) {
  const { chance, between } = random;
  const some = (list, share) => list.filter(() => chance(share));
  const fullness = random.pick([0.4, 0.7, 1, 1]);
  const consonants = atLeastFour(random, [...some(singles, fullness), ...(chance(0.5) ? some(clusters, 0.4) : [])]);
  const codas = atLeastFour(random, [...some(singles, fullness), ...(chance(0.4) ? some(endings, 0.4) : [])]);
  const vowels = [...nuclei.slice(0, chance(0.5) ? 15 : 16), ...(chance(0.4) ? some(pairs, 0.3) : [])];
  const patterns = ['cvc'.slice(0, between(2, 3)), ...Array.from({ length: between(0, 3) }, () => random.pick(forms))];
  const syllables = [between(2, 3), between(3, 5)];
  const separator = random.pick(optionalSeparators);
  const numbers = random.pick(['none', 'none', 'none', 'none', 'end', 'end', 'inside']);
  const digits = between(1, 5);
  return (rng) => {
    const syllable = () =>
      rng
        .pick(patterns)
        .replaceAll(/[cv]/g, (kind, at) => rng.pick(kind === 'v' ? vowels : at === 0 ? consonants : codas));
    const word = () => {
      const text = joined(rng.between(...syllables), syllable).slice(0, 14);
      return text.length < shortest ? word() : text;
    };
    const text =
      separator === ''
        ? word()
        : Array.from({ length: rng.between(2, 3) }, () => syllable() + syllable()).join(separator);
    if (numbers === 'none') return text;
    const number = joined(digits, () => String(rng.below(10)));
    const at = numbers === 'end' ? text.length : rng.between(1, text.length - 1);
    return text.slice(0, at) + (numbers === 'end' ? number : number.slice(0, 2)) + text.slice(at);
  };
}

function atLeastFour(random, letters) {
  while (letters.length < 4) letters.push(random.pick(singles));
  return letters;
}
