// Selects the long n-grams and words that the model knows: those that most names share, one per slot.
import { importEngine } from './engine-source.mjs';

const { boundary, foldInto, maxCodes } = await importEngine('fold-to-ascii.ts');
const { maxNgramLength, minLexiconLength, minWordLength, wordHashSeed } = await importEngine('lexical-features.ts');
const { collapseDigits } = await importEngine('features.ts');
const { hashSeed, primaryBucket, addToHash, isDigit, lexiconSize, fingerprintOf, alternateBucket } =
  await importEngine('feature-table.ts');

/** N-grams and words in fewer names are left out. */
const minNames = 3;
const codes = new Uint16Array(maxCodes);
const gramCodes = new Uint16Array(maxCodes);

/**
 * Builds the lexicon of texts { text, parts, whole }: n-grams of a text count as `parts` names, its words as `whole`. The program uses
 * `fingerprints`. Training reads its own texts with `leaveOneOutFingerprints`, as if each text had not been counted.
 */
export function buildLexicon(texts) {
  const counts = new Map();
  const count = (hash, share) => counts.set(hash, (counts.get(hash) ?? 0) + share);
  for (const { text, parts, whole } of texts) {
    const length = foldInto(codes, text);
    for (const hash of new Set(wordHashes(length))) count(hash, whole);
    for (const hash of new Set(gramHashes(length))) count(hash, parts);
  }
  const ranked = [...counts].filter(([, names]) => names >= minNames);
  ranked.sort(([one, names], [other, otherNames]) => otherNames - names || one - other);
  const owners = placeHashes(ranked.map(([hash]) => hash));
  const fingerprints = new Uint16Array(lexiconSize);
  const leaveOneOutFingerprints = new Uint16Array(lexiconSize);
  for (const [slot, hash] of owners) {
    fingerprints[slot] = fingerprintOf(hash);
    if (counts.get(hash) > minNames) leaveOneOutFingerprints[slot] = fingerprintOf(hash);
  }
  console.log(`${counts.size} long n-grams and words, ${ranked.length} shared, ${owners.size} known`);
  return { fingerprints, leaveOneOutFingerprints };
}

/** Evictions before a hash is given up. */
const maxMoves = 40;

/** Cuckoo hashing: slot → hash. Each hash has two slots and may move an earlier one to its other slot. */
function placeHashes(hashes) {
  const owners = new Map();
  for (const hash of hashes) {
    const moves = [];
    let pending = hash;
    let slot = owners.has(primaryBucket(hash)) ? otherSlot(hash, primaryBucket(hash)) : primaryBucket(hash);
    while (owners.has(slot) && moves.length < maxMoves) {
      const moved = owners.get(slot);
      moves.push([slot, moved]);
      owners.set(slot, pending);
      pending = moved;
      slot = otherSlot(moved, slot);
    }
    if (!owners.has(slot)) owners.set(slot, pending);
    // No free slot: undo the moves and leave out the new hash, which is the rarest.
    else for (const [at, owner] of moves.reverse()) owners.set(at, owner);
  }
  return owners;
}

function otherSlot(hash, slot) {
  const first = primaryBucket(hash);
  return first === slot ? alternateBucket(first, fingerprintOf(hash)) : first;
}

function wordHashes(length) {
  const hashes = [];
  let hash = wordHashSeed;
  let letters = 0;
  for (let at = 1; at < length; at++) {
    const inWord = codes[at] !== boundary && !isDigit(codes[at]);
    if (!inWord && letters >= minWordLength) hashes.push(hash);
    letters = inWord ? letters + 1 : 0;
    hash = inWord ? addToHash(hash, codes[at]) : wordHashSeed;
  }
  return hashes;
}

function gramHashes(whole) {
  const length = collapseDigits(gramCodes, codes, whole, true);
  const hashes = [];
  for (let start = 0; start < length - 1; start++) {
    let hash = hashSeed;
    for (let at = start; at < Math.min(start + maxNgramLength, length); at++) {
      hash = addToHash(hash, gramCodes[at]);
      if (at - start + 1 >= minLexiconLength) hashes.push(hash);
      if (at > start && gramCodes[at] === boundary) break;
    }
  }
  return hashes;
}
