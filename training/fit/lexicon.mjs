// Which long n-grams and words the model knows: those that most names share, each the only owner of its slot.
import { compiled } from './engine-source.mjs';

const { boundary, foldInto, maxCodes } = await import(await compiled('fold-to-ascii.ts'));
const { longest, shortestLong } = await import(await compiled('ngrams.ts'));
const { blurInto } = await import(await compiled('features.ts'));
const { emptyWord, shortestWord } = await import(await compiled('words.ts'));
const { emptyHash, firstChoice, hashOn, isDigit, longSlots, markOf, secondChoice } = await import(
  await compiled('feature-index.ts')
);

/** What fewer names than this share says little of the next name. */
const fewestNames = 3;
const codes = new Uint16Array(maxCodes);
const grams = new Uint16Array(maxCodes);

/**
 * The marks of what the texts share, { text, parts, whole }: its n-grams count for `parts` names, its words for `whole`.
 * `marks` is what the program gets. `others` leaves out what would be unknown but for one of the texts, so that a text from which
 * the marks were made is read in training as the program will read one that it has never seen.
 */
export function knownMarks(texts) {
  const counts = new Map();
  const count = (hash, share) => counts.set(hash, (counts.get(hash) ?? 0) + share);
  for (const { text, parts, whole } of texts) {
    const length = foldInto(codes, text);
    for (const hash of new Set(wordHashes(length))) count(hash, whole);
    for (const hash of new Set(gramHashes(length))) count(hash, parts);
  }
  const ranked = [...counts].filter(([, names]) => names >= fewestNames);
  ranked.sort(([one, names], [other, others]) => others - names || one - other);
  const owners = placed(ranked.map(([hash]) => hash));
  const marks = new Uint16Array(longSlots);
  const others = new Uint16Array(longSlots);
  for (const [slot, hash] of owners) {
    marks[slot] = markOf(hash);
    if (counts.get(hash) > fewestNames) others[slot] = markOf(hash);
  }
  console.log(`${counts.size} long n-grams and words, ${ranked.length} shared, ${owners.size} known`);
  return { marks, others };
}

/** How often one may make room for another. */
const mostMoves = 40;

/** Slot → its owner. Each has two slots to choose from, and one that finds both taken moves an owner to its other slot (cuckoo hashing). */
function placed(hashes) {
  const owners = new Map();
  for (const hash of hashes) {
    const moves = [];
    let homeless = hash;
    let slot = owners.has(firstChoice(hash)) ? otherSlot(hash, firstChoice(hash)) : firstChoice(hash);
    while (owners.has(slot) && moves.length < mostMoves) {
      const moved = owners.get(slot);
      moves.push([slot, moved]);
      owners.set(slot, homeless);
      homeless = moved;
      slot = otherSlot(moved, slot);
    }
    if (!owners.has(slot)) owners.set(slot, homeless);
    // Nobody found room: all go back, and the newcomer, which fewest names share, stays unknown.
    else for (const [at, owner] of moves.reverse()) owners.set(at, owner);
  }
  return owners;
}

/** The other one of its two slots. */
function otherSlot(hash, slot) {
  const first = firstChoice(hash);
  return first === slot ? secondChoice(first, markOf(hash)) : first;
}

function wordHashes(length) {
  const hashes = [];
  let hash = emptyWord;
  let letters = 0;
  for (let at = 1; at < length; at++) {
    const inWord = codes[at] !== boundary && !isDigit(codes[at]);
    if (!inWord && letters >= shortestWord) hashes.push(hash);
    letters = inWord ? letters + 1 : 0;
    hash = inWord ? hashOn(hash, codes[at]) : emptyWord;
  }
  return hashes;
}

function gramHashes(whole) {
  const length = blurInto(grams, codes, whole, true);
  const hashes = [];
  for (let start = 0; start < length - 1; start++) {
    let hash = emptyHash;
    for (let at = start; at < Math.min(start + longest, length); at++) {
      hash = hashOn(hash, grams[at]);
      if (at - start + 1 >= shortestLong) hashes.push(hash);
      if (at > start && grams[at] === boundary) break;
    }
  }
  return hashes;
}
