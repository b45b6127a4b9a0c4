import type { BulkAnswer } from '../../model/result.js';
import { readAddresses } from '../read/find-addresses.js';
import { findField } from '../table/nested-fields.js';
import { isVerdictColumn } from '../table/verdict-columns.js';

/** The text of a JSON object on one line, with the verdict in fields that are named like our columns. */
export function withVerdict(json: string, answer: BulkAnswer): string {
  const added = JSON.stringify(verdictFields(answer)).slice(1);
  const withoutVerdict = json.includes('"mailvet_')
    ? removeVerdict(json)
    : json.slice(0, json.lastIndexOf('}')).trimEnd();
  return withoutVerdict.endsWith('{') ? `${withoutVerdict}${added}` : `${withoutVerdict},${added}`;
}

/**
 * The text of a JSON object with another text in place of an address: in a field, which may be in a nested object
 * (`contact.email`), or if the field has no text, wherever the addresses are.
 */
export function replaceAddress(
  json: string,
  { field, email }: { field: string; email: string },
  replace: (text: string) => string,
): string {
  const found = findField(JSON.parse(json), field);
  const path = typeof found?.value === 'string' ? JSON.stringify(found.keys) : null;
  const addresses = path === null ? readAddresses(email).filter((address) => address !== '') : [];
  const hasAddress = (text: string): boolean => addresses.some((address) => text.includes(address));
  /** The names of the fields around a position. */
  const names: string[] = [];
  let depth = 0;
  let isField = false;
  return json.replace(/"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\],]/g, (token, colon: string | undefined) => {
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    if (colon !== undefined) {
      names.length = depth;
      names[depth - 1] = JSON.parse(token.slice(0, -colon.length));
      isField = JSON.stringify(names) === path;
      return token;
    }
    const text = token.startsWith('"') && (isField || path === null) ? (JSON.parse(token) as string) : null;
    const isReplaced = text !== null && (isField || hasAddress(text));
    isField = false;
    return isReplaced ? JSON.stringify(replace(text)) : token;
  });
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
