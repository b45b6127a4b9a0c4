import { spellingMark } from '../../../lists/mailbox-key.js';
import type { AddressCipher } from '../address-cipher.js';
import { readNumber, readText, readTextOrNull } from '../records.js';
import type { AnswerStore, StoredAnswer } from '../store.js';
import { all, inList, listValue, run, type SqlBackend, type Steps } from './steps.js';

export function answersTable(backend: SqlBackend, addresses: AddressCipher): AnswerStore {
  return {
    findAnswers: async (scope, keys) => {
      const keyOf = new Map(keys.map((key) => [rowKey(scope, key, addresses), key]));
      const find = `SELECT * FROM answers WHERE key ${inList}`;
      const found = new Map<string, StoredAnswer>();
      for (const row of await backend.read(() => all(find, listValue(keyOf.keys())))) {
        const key = keyOf.get(readText(row, 'key'));
        if (key === undefined) continue;
        const sealed = readTextOrNull(row, 'answer');
        const answer = sealed === null ? null : parseAnswer(addresses.open(key, sealed));
        // A damaged answer is asked again.
        if (answer !== undefined) found.set(key, { checkedAt: readNumber(row, 'checked_at'), answer });
      }
      return found;
    },
    addAnswers: (scope, entries, now) => backend.write(() => addAnswers(scope, entries, now, addresses)),
    dropAnswers: (scope, keys) =>
      backend.write(() => {
        if (keys === null) return run('DELETE FROM answers WHERE key LIKE ?', `${scope} %`);
        const rowKeys = keys.map((key) => rowKey(scope, key, addresses));
        return run(`DELETE FROM answers WHERE key ${inList}`, listValue(rowKeys));
      }),
    forgetAnswers: (mailbox) => {
      const part = ` ${addresses.hash(mailbox)}`;
      return backend.write(() => run('DELETE FROM answers WHERE instr(key, ?) > 0', part));
    },
    pruneAnswers: (before) => backend.write(() => run('DELETE FROM answers WHERE checked_at < ?', before)),
  };
}

/** Writes answers in one statement, in the order of their keys, which halves the work. */
export function* addAnswers(
  scope: string,
  entries: Parameters<AnswerStore['addAnswers']>[1],
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
