import { withVerdict } from '../../../rows/write/json-verdict.js';
import { pickAll } from './pick.js';
import type { RowRenderer } from './rows.js';

/** The bulk summary of the service interface as one JSON object, its results written as they come. */
export function summaryRows(fields: readonly string[] | null): RowRenderer {
  let first = true;
  return {
    begin: () => '{"results":[',
    row: ({ json }, answer) => {
      // A row without an address is no result, unless it is an object that must not get lost.
      if (answer.empty && json === undefined) return '';
      const { result, duplicate } = answer;
      const { email, status, is_valid, confidence } = result;
      const item =
        fields !== null
          ? pickAll({ ...result, duplicate }, fields)
          : duplicate
            ? { email, status, is_valid, confidence, duplicate }
            : { email, status, is_valid, confidence };
      const between = first ? '\n' : ',\n';
      first = false;
      return between + (json === undefined || fields !== null ? JSON.stringify(item) : withVerdict(json, answer));
    },
    end: (summary) => `\n],${JSON.stringify(summary).slice(1)}\n`,
  };
}
