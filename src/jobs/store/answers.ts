import { spellingMark } from '../../lists/mailbox-key.js';
import type { AddressCipher } from './address-cipher.js';
import { all, inList, listValue, run, type SqlBackend, type Steps } from './sql.js';

/** An answer of an earlier run; null: it was sent, and never answered. */
interface StoredAnswer {
  checkedAt: number;
  answer: Record<string, unknown> | null;
}

/** What is remembered of earlier runs, by scope and mailbox. Addresses are not stored in clear. */
export function answersTable(backend: SqlBackend, addresses: AddressCipher) {
  return {
    findAnswers: async (scope: string, keys: readonly string[]) => {
      const keyOf = new Map(keys.map((key) => [rowKey(scope, key, addresses), key]));
      const find = `SELECT * FROM answers WHERE key ${inList}`;
      type Row = { key: string; answer: string | null; checkedAt: number };
      const found = new Map<string, StoredAnswer>();
      for (const row of await backend.read(() => all<Row>(find, listValue(keyOf.keys())))) {
        const key = keyOf.get(row.key);
        if (key === undefined) continue;
        const answer = row.answer === null ? null : parseAnswer(addresses.open(key, row.answer));
        // A damaged answer is asked again.
        if (answer !== undefined) found.set(key, { checkedAt: row.checkedAt, answer });
      }
      return found;
    },
    addAnswers: (scope: string, entries: readonly NewAnswer[], now: number) =>
      backend.write(() => addAnswers(scope, entries, now, addresses)),
    /** Deletes those of the keys, or all of the scope, and returns how many. */
    dropAnswers: (scope: string, keys: readonly string[] | null) =>
      backend.write(() => {
        if (keys === null) return run('DELETE FROM answers WHERE key LIKE ?', `${scope} %`);
        const rowKeys = keys.map((key) => rowKey(scope, key, addresses));
        return run(`DELETE FROM answers WHERE key ${inList}`, listValue(rowKeys));
      }),
    pruneAnswers: (checkedBefore: number) =>
      backend.write(() => run('DELETE FROM answers WHERE checked_at < ?', checkedBefore)),
    /** Deletes the answers of a mailbox, in all spellings, and returns how many. */
    forgetAnswers: (mailbox: string) =>
      backend.write(() => run('DELETE FROM answers WHERE instr(key, ?) > 0', ` ${addresses.hash(mailbox)}`)),
  };
}

interface NewAnswer {
  key: string;
  answer: object | null;
}

/** Writes answers in one statement, in the order of their keys, which halves the work. */
export function* addAnswers(
  scope: string,
  entries: readonly NewAnswer[],
  now: number,
  addresses: AddressCipher,
): Steps<void> {
  if (entries.length === 0) return;
  // Each key once: PostgreSQL cannot update a row twice in one statement.
  const rows = new Map(
    entries.map(({ key, answer }) => [
      rowKey(scope, key, addresses),
      answer === null ? null : addresses.seal(key, JSON.stringify(answer)),
    ]),
  );
  yield* run(
    `INSERT INTO answers SELECT value ->> 0, value ->> 1, ? FROM json_each(?) WHERE TRUE
     ON CONFLICT (key) DO UPDATE SET answer = excluded.answer, checked_at = excluded.checked_at`,
    now,
    JSON.stringify([...rows].sort(([one], [other]) => (one < other ? -1 : 1))),
  );
}

/** The scope, the mailbox, and the case of its local part if that matters. */
function rowKey(scope: string, key: string, { hash }: AddressCipher): string {
  const [mailbox = '', spelling] = key.split(spellingMark);
  return `${scope} ${hash(mailbox)}${spelling === undefined ? '' : ` ${hash(spelling)}`}`;
}

function parseAnswer(text: string | null): StoredAnswer['answer'] | undefined {
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
