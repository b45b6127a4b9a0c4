import { pickAll } from './pick.js';
import type { RowRenderer } from './rows.js';

/** The bulk summary of the service interface as one JSON object, its results written as they come. */
export function summaryRows(fields: readonly string[] | null): RowRenderer {
  let first = true;
  return {
    begin: () => '{"results":[',
    rows: (_rows, answers) => {
      let text = '';
      for (const { result, duplicate } of answers) {
        const { email, status, is_valid, confidence } = result;
        const item =
          fields !== null
            ? pickAll({ ...result, duplicate }, fields)
            : duplicate
              ? { email, status, is_valid, confidence, duplicate }
              : { email, status, is_valid, confidence };
        text += first ? '\n' : ',\n';
        text += JSON.stringify(item);
        first = false;
      }
      return text;
    },
    end: (summary) => `\n],${JSON.stringify(summary).slice(1)}\n`,
  };
}
