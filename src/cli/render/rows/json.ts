import { withVerdict } from '../../../rows/write/json-verdict.js';
import { pickAll } from './pick.js';
import { type RowStyle, type RowWriter, type TextRows, textWriter } from './row-writer.js';

/** One JSON document: the result of an address, the summary of a list, the rows of a job. Several addresses get a line each. */
export async function openWriter(style: RowStyle): Promise<RowWriter> {
  const { subject, fields, isTty } = style;
  switch (subject) {
    case 'address':
      return textWriter(oneResult(fields, isTty));
    case 'addresses':
      return (await import('./ndjson.js')).openWriter(style);
    case 'list':
      return textWriter(listSummary(fields));
    case 'job':
      return (await import('./job-json.js')).jobArray(fields);
  }
}

function oneResult(fields: readonly string[] | null, isTty: boolean): TextRows {
  return {
    row: (_, { result }) =>
      `${JSON.stringify(fields === null ? result : pickAll(result, fields), null, isTty ? 2 : 0)}\n`,
  };
}

/** The bulk summary of the service interface, with its results before the counts. */
function listSummary(fields: readonly string[] | null): TextRows {
  let isFirst = true;
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
      const between = isFirst ? '\n' : ',\n';
      isFirst = false;
      return between + (json === undefined || fields !== null ? JSON.stringify(item) : withVerdict(json, answer));
    },
    end: (summary) => `\n],${JSON.stringify(summary).slice(1)}\n`,
  };
}
