import type { BulkAnswer } from '../../model/result.js';
import { isVerdictColumn } from '../table/verdict-columns.js';

/** An object of JSON as it stood, on one line, with the verdict in fields of the names that our columns have. */
export function withVerdict(json: string, answer: BulkAnswer): string {
  const added = JSON.stringify(verdictFields(answer)).slice(1);
  // In a string a line end is written \\n, so a bare one stands between values.
  const line = json.includes('\n') || json.includes('\r') ? json.replace(/\s*[\r\n]\s*/g, ' ') : json;
  const own = line.includes('"mailvet_') ? withoutVerdict(line) : line.slice(0, line.lastIndexOf('}')).trimEnd();
  return own.endsWith('{') ? `${own}${added}` : `${own},${added}`;
}

/** An object of JSON as it stood, but for the text in one of its own fields. */
export function withField(json: string, name: string, value: string): string {
  let depth = 0;
  let isIts = false;
  return json.replace(/"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\],]/g, (token, colon: string | undefined) => {
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    if (depth !== 1) return token;
    if (colon !== undefined) {
      isIts = JSON.parse(token.slice(0, -colon.length)) === name;
      return token;
    }
    const isText = isIts && token.startsWith('"');
    isIts = false;
    return isText ? JSON.stringify(value) : token;
  });
}

/** The fields of an earlier run make room. */
function withoutVerdict(json: string): string {
  const fields = Object.entries(JSON.parse(json) as object).filter(([name]) => !isVerdictColumn(name));
  return JSON.stringify(Object.fromEntries(fields)).slice(0, -1);
}

function verdictFields({ result, duplicate, empty, added }: BulkAnswer): Record<string, unknown> {
  const { status, confidence } = result;
  if (empty) return { mailvet_status: status, ...added };
  return {
    mailvet_status: status,
    ...('sub_status' in result && { mailvet_sub_status: result.sub_status }),
    mailvet_confidence: confidence,
    ...('safe_to_send' in result && { mailvet_safe_to_send: result.safe_to_send }),
    ...('did_you_mean' in result && { mailvet_did_you_mean: result.did_you_mean }),
    ...(duplicate && { mailvet_duplicate: true }),
    ...added,
  };
}
