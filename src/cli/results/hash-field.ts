import type { BulkAnswer } from '../../model/result.js';

/** Adds the field `email_sha256` to answers if it is among the requested ones; a row without a known address has none. */
export async function openHashField(
  fields: readonly string[] | null,
): Promise<(answers: readonly BulkAnswer[]) => readonly BulkAnswer[]> {
  if (!fields?.includes('email_sha256')) return (answers) => answers;
  const { hashAddress } = await import('../../service/address-hash.js');
  return (answers) =>
    answers.map((answer) => {
      const { email } = answer.result;
      return {
        ...answer,
        added: { ...answer.added, email_sha256: email === '' || email.includes('\ufffd') ? '' : hashAddress(email) },
      };
    });
}
