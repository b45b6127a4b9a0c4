// The programs that make the machine-made names of the last test. Which ones is a rule, so that nobody could choose those that are
// easy or hard to tell from a name: every package of npm without a scope
//   that has one of the words uuid, guid, uid, nanoid, ksuid, uniqid, shortid, unique-id, random-id, id-generator, randomstring,
//   random-string, password-generator, generate-password, sqids, hashids or randomatic in its name and 20,000 to 150,000 downloads a
//   month, or one of the words pronounceable, pronouncable, phonetic, syllable, gibberish, babble or memorable and 200 or more,
// that runs in Node without a service, each as its manual shows it first. Of these leave out: what checks, parses or types, or wraps
// another of them; what training, tuning or an earlier test knows by name or makes the same text as one of those (uuid, plain
// hexadecimal, object ids, cuid, ulid, xid, nanoid, koremutake, proquint, bubble babble); counters; and what makes its names of
// dictionary words or of people's names, since a person may choose the same. Besides, since few can be said: the made-up words of chance,
// the best known of the libraries for data to test with. Those of fewer than five characters, as random-syllable makes, are left out.
/** npm package and version → how its manual has it make a name. */
export const laterPackages = {
  'get-random-id@0.5.0': (loaded) => (loaded.default ?? loaded)(),
  'kuuid@1.0.3': (kuuid) => kuuid.id(),
  'ordersid-generator@1.9.3': (orderId) => orderId('short'),
  'random-id@1.0.4': (randomId) => randomId(30, 'aA0'),
  'tiny-uid@1.1.2': (loaded) => (loaded.default ?? loaded)(),
  'uuid-base62@0.1.0': (uuidBase62) => uuidBase62.v4(),
  'uuid-encoder@1.2.0': (UuidEncoder) => new UuidEncoder('base36').encode(crypto.randomUUID()),
  'phonetic@0.1.1': (phonetic) => phonetic.generate(),
  'chance@1.1.13': (Chance) => new Chance().word(),
};
