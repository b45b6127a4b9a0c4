import { shellWord } from '../../../model/text/shell-word.js';
import type { ApiField, Operation } from './operations.js';

export type Language = 'curl' | 'fetch' | 'python';

/** The values of fields by name. */
export type Values = Readonly<Record<string, string>>;

/** The name of the file in examples. */
const exampleFile = 'list.csv';

/** The address of a request. */
export function urlOf({ path, fields }: Operation, values: Values): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  const queryFields = fields.filter(({ place, name }) => place === 'query' && (values[name] ?? '') !== '');
  const query = new URLSearchParams(queryFields.map(({ name }) => [name, values[name] ?? '']));
  return queryFields.length === 0 ? filled : `${filled}?${query}`;
}

/** The JSON body of a request; null if it has none. */
export function bodyOf({ fields }: Operation, values: Values): string | null {
  const inBody = fields.filter(({ place }) => place === 'body');
  if (inBody.length === 0) return null;
  const filled = inBody.filter(({ name, isRequired }) => isRequired || (values[name] ?? '') !== '');
  return JSON.stringify(Object.fromEntries(filled.map((field) => [field.name, jsonValue(field, values[field.name])])));
}

/** Text that is not JSON is sent unchanged, and the server reports the error. */
function jsonValue({ type }: ApiField, text = ''): unknown {
  if (type === 'string') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** A complete request that reads the key from the variable MAILVET_API_KEY. */
export function exampleOf(language: Language, operation: Operation, origin: string, values: Values): string {
  const request: ExampleRequest = {
    ...operation,
    url: `${origin}${urlOf(operation, values)}`,
    body: bodyOf(operation, values),
    file: operation.fields.find(({ place }) => place === 'file')?.name ?? null,
  };
  return { curl: asCurl, fetch: asFetch, python: asPython }[language](request);
}

interface ExampleRequest extends Pick<Operation, 'method' | 'needsKey'> {
  url: string;
  body: string | null;
  /** The form field of a file. */
  file: string | null;
}

function asCurl({ method, needsKey, url, body, file }: ExampleRequest): string {
  const parts = [
    'curl',
    ...(needsKey ? ['-H "X-API-Key: $MAILVET_API_KEY"'] : []),
    ...(method === 'GET' || body !== null || file !== null ? [] : [`-X ${method}`]),
    shellWord(url),
    ...(body === null ? [] : [`-H 'Content-Type: application/json' -d ${shellWord(body)}`]),
    ...(file === null ? [] : [`-F ${file}=@${exampleFile}`]),
  ];
  return parts.join(' \\\n  ');
}

function asFetch({ method, needsKey, url, body, file }: ExampleRequest): string {
  const headers = [
    ...(needsKey ? ["'X-API-Key': env.MAILVET_API_KEY"] : []),
    ...(body === null ? [] : ["'Content-Type': 'application/json'"]),
  ];
  const lines = [
    ...(needsKey ? ["import { env } from 'node:process';"] : []),
    ...(file === null
      ? []
      : [
          "import { openAsBlob } from 'node:fs';",
          'const form = new FormData();',
          `form.append('${file}', await openAsBlob('${exampleFile}'), '${exampleFile}');`,
        ]),
    `const response = await fetch(${JSON.stringify(url)}, {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },`]),
    ...(body === null ? [] : [`  body: JSON.stringify(${body}),`]),
    ...(file === null ? [] : ['  body: form,']),
    '});',
    'console.log(response.status, await response.text());',
  ];
  return lines.join('\n');
}

/** Uses only the standard library, which has no forms. */
function asPython({ method, needsKey, url, body, file }: ExampleRequest): string {
  const boundary = 'mailvet-form';
  const type = file === null ? 'application/json' : `multipart/form-data; boundary=${boundary}`;
  const headers = [
    ...(needsKey ? ['"X-API-Key": os.environ["MAILVET_API_KEY"]'] : []),
    ...(body === null && file === null ? [] : [`"Content-Type": "${type}"`]),
  ];
  const disposition = `Content-Disposition: form-data; name=\\"${file}\\"; filename=\\"${exampleFile}\\"`;
  const lines = [
    'import os, urllib.error, urllib.request',
    ...(file === null
      ? []
      : [
          `form = b"--${boundary}\\r\\n${disposition}\\r\\n\\r\\n"`,
          `form += open("${exampleFile}", "rb").read() + b"\\r\\n--${boundary}--\\r\\n"`,
        ]),
    `request = urllib.request.Request(${JSON.stringify(url)}, method="${method}"${headers.length === 0 ? ')' : ','}`,
    ...(headers.length === 0
      ? []
      : [`    headers={${headers.join(', ')}}${body === null && file === null ? ')' : ','}`]),
    // A JSON text in ASCII is a literal of Python, too.
    ...(body === null ? [] : [`    data=${JSON.stringify(toAscii(body))}.encode())`]),
    ...(file === null ? [] : ['    data=form)']),
    'try:',
    '    response = urllib.request.urlopen(request)',
    // An answer with an error, which says what is wrong.
    'except urllib.error.HTTPError as error:',
    '    response = error',
    'print(response.status, response.read().decode())',
  ];
  return lines.join('\n');
}

function toAscii(json: string): string {
  return json.replace(/[\u0080-\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
