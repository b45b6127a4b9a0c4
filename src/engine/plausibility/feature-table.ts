/** Weights of trigrams and categorical features, by hash. */
const hashedCount = 1 << 16;

/** Next: one weight for each pattern of six character classes. */
export const patternOffset = hashedCount;
const patternCount = 1 << 12;

/** Next: the lexicon of long n-grams and words, two bytes each: 12 bits of fingerprint and 4 bits of weight. */
export const lexiconOffset = hashedCount + patternCount;
export const lexiconSize = (1 << 18) - (1 << 15) - (1 << 13) - (1 << 11);
export const featureCount = lexiconOffset + lexiconSize;

/** The weights that four bits stand for, in the unit of the one-byte weights. */
export const quantizedWeights = Int8Array.of(-13, -8, -4, 0, 4, 9, 14, 20, 27, 35, 44, 55, 68, 84, 104, 127);

/** FNV-1a over character codes. */
export const hashSeed = 0x811c9dc5 | 0;
export function addToHash(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193);
}

/** The bucket of a trigram. Fibonacci hashing: the high bits of the product are the well-mixed ones. */
export function bucketOf(hash: number): number {
  return Math.imul(hash ^ (hash >>> 15), 0x9e3779b1) >>> 16;
}

const fingerprintMask = 0xfff;

/** Distinguishes the entries of one bucket; 0 is an empty bucket. */
export function fingerprintOf(hash: number): number {
  return Math.imul(hash, 0xc2b2ae35) >>> 20 || 1;
}

/** Cuckoo hashing: the two buckets of the lexicon that an n-gram or word may be in. */
export function primaryBucket(hash: number): number {
  const bits = Math.imul(hash ^ (hash >>> 15), 0x9e3779b1) >>> 14;
  return bits - (bits >>> 3) - (bits >>> 5) - (bits >>> 7);
}
export function alternateBucket(primary: number, fingerprint: number): number {
  // Wraps without a branch, which would be mispredicted half of the time.
  const overflow = primary + fingerprint * 53 - lexiconSize;
  return overflow + (lexiconSize & (overflow >> 31));
}

/** The weights of all features. In training, a lookup returns the index of a feature in place of its weight. */
export interface FeatureTable {
  /** Trigrams, categorical features and patterns. */
  weights: Int8Array | Uint32Array;
  lexicon: Uint16Array;
  training: boolean;
}

/** The bucket of a known n-gram or word; -1 if it is unknown. */
export function findInLexicon(lexicon: Uint16Array, hash: number): number {
  const fingerprint = fingerprintOf(hash);
  const primary = primaryBucket(hash);
  if (((lexicon[primary] as number) & fingerprintMask) === fingerprint) return primary;
  const alternate = alternateBucket(primary, fingerprint);
  return ((lexicon[alternate] as number) & fingerprintMask) === fingerprint ? alternate : -1;
}

/** The weight in a bucket of the lexicon; in training, its feature index. */
export function lexiconWeight(bucket: number, lexicon: Uint16Array, training: boolean): number {
  return training ? lexiconOffset + bucket : (quantizedWeights[(lexicon[bucket] as number) >>> 12] as number);
}

/** The categorical features by number; the model is trained with these numbers. */
export const category = {
  longestWord: 2,
  characterGroups: 3,
  consonantRun: 4,
  digitRun: 5,
  vowelRatio: 6,
  nonHexLetters: 7,
  repeatRun: 8,
  distinctLetters: 9,
  digitsAndLetters: 10,
  digitsAndVowels: 11,
  keyboardRun: 12,
  neighboringKeys: 13,
  repeatedDigits: 14,
  digitSequence: 15,
  digitTransitions: 16,
  distinctDigits: 17,
  innerCapitals: 18,
  uncoveredLetters: 19,
  unknown4grams: 20,
  known6grams: 21,
  knownWord: 22,
  digitPositions: 23,
  knownLeetWord: 24,
  unusualCharacters: 25,
  firstDigits: 26,
  period: 27,
  longNumber: 28,
};

/** The weight of a categorical feature that has this value. */
export function categoryWeight({ weights }: FeatureTable, feature: number, value: number): number {
  return weights[bucketOf(Math.imul(value + 1, 0x2545f491) ^ (feature * 0x3779fb9))] as number;
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
