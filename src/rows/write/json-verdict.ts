import type { BulkAnswer } from '../../model/result.js';
import { isVerdictColumn } from '../table/verdict-columns.js';

/** The text of a JSON object on one line, with the verdict in fields that are named like our columns. */
export function withVerdict(json: string, answer: BulkAnswer): string {
  const added = JSON.stringify(verdictFields(answer)).slice(1);
  const withoutVerdict = json.includes('"mailvet_')
    ? removeVerdict(json)
    : json.slice(0, json.lastIndexOf('}')).trimEnd();
  return withoutVerdict.endsWith('{') ? `${withoutVerdict}${added}` : `${withoutVerdict},${added}`;
}

/** The object without the verdict of an earlier run, and without its closing brace. Other fields stay as they were written. */
function removeVerdict(json: string): string {
  const kept: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]/g)) {
    const isOutside = depth === 0;
    const isEnd = depth === 1 && (token === ',' || token === '}');
    if (isEnd && !isVerdictField(json.slice(start, index))) kept.push(json.slice(start, index));
    if (isOutside || isEnd) start = index + 1;
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
  }
  return `{${kept.join(',')}`.trimEnd();
}

/** Whether a field, with its name and value as text, is of a verdict. No field is not worth keeping either. */
function isVerdictField(text: string): boolean {
  const [name] = /"[^"\\]*(?:\\.[^"\\]*)*"/.exec(text) ?? [];
  return name === undefined || isVerdictColumn(JSON.parse(name) as string);
}

function verdictFields({
  result,
  duplicate,
  empty,
  unanswered,
  suppressed,
  added,
}: BulkAnswer): Record<string, unknown> {
  const { status, confidence } = result;
  if (empty || unanswered || suppressed) return { mailvet_status: status, ...added };
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
