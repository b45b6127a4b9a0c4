import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bareEnvironment, runBinary, startBinary } from '../e2e/run-binary.js';
import { textCell, workbookOf } from '../fakes/archives.js';
import { type Answer, ask, formWith } from '../server/run-server.js';

let child: ChildProcessWithoutNullStreams;
let url = '';
let key = '';
beforeAll(async () => {
  const env = bareEnvironment();
  key = JSON.parse((await runBinary(['keys', 'create', '--name', 'uploads', '--json'], { env })).out).key;
  child = startBinary(['serve', '--port', '0', '--level', 'syntax'], env);
  const [line] = await once(child.stdout, 'data');
  url = String(line).trim().replace('Listening on ', '');
});
afterAll(() => child.kill('SIGKILL'));

/** Uploads the file; the longest time that another request waited meanwhile. */
async function upload(bytes: Uint8Array, filename: string): Promise<{ answer: Answer; longestMs: number }> {
  let answer: Answer | null = null;
  const body = formWith(new Blob([Uint8Array.from(bytes)]), filename);
  const uploading = ask(`${url}/bulk/upload/preview`, { key, body }).then((given) => {
    answer = given;
  });
  let longestMs = 0;
  while (answer === null) {
    const start = performance.now();
    await ask(`${new URL(url).origin}/healthz`);
    longestMs = Math.max(longestMs, performance.now() - start);
  }
  await uploading;
  return { answer, longestMs };
}

/** Many times what one turn takes, since other tests run at the same time. */
const maxWaitMs = 600;

const header = `<row r="1">${textCell('A1', 'email')}</row>`;
const farCell = (reference: string): Buffer =>
  workbookOf(`${header}<row r="2">${textCell('A2', 'ada@python.org')}${textCell(reference, 'x')}</row>`);
const number = '<c><v>1</v></c>';
const person = `<row>${textCell('A1', 'ada@python.org')}${number.repeat(5)}</row>`.replaceAll(' r="A1"', '');

test.each([
  { name: 'far.xlsx', bytes: () => farCell('ZZZZZZ2'), says: 'more than 16,384 columns' },
  { name: 'wide.xlsx', bytes: () => farCell('ZZZZZ2'), says: 'more than 16,384 columns' },
  { name: 'rows.xlsx', bytes: () => workbookOf([header, { unit: person.repeat(1_000), times: 100 }]), says: null },
  {
    name: 'two-ends.xlsx',
    bytes: () =>
      Buffer.concat([workbookOf([header, { unit: '<row/>'.repeat(1_000), times: 1_100 }]), Buffer.from('PK\x05\x06')]),
    says: 'more than 1,048,576 rows',
  },
  {
    name: 'strings.xlsx',
    bytes: () => workbookOf(header, { strings: { unit: `<si><t>${'a'.repeat(1e5)}</t></si>`, times: 1_400 } }),
    says: 'more than 128 MB of strings',
  },
  { name: 'empty.csv.gz', bytes: () => gzipSync(Buffer.alloc(11e6, '\n')), says: 'more than 10,000,000 lines' },
  {
    name: 'bomb.csv.gz',
    bytes: () => gzipSync(Buffer.alloc(70e6, `ada@python.org,${'x'.repeat(500)}\n`)),
    says: 'more than 64 MB, decompressed',
  },
])(
  'no upload stalls the service, and one over a limit is refused: $name',
  async ({ name, bytes, says }) => {
    const { answer, longestMs } = await upload(bytes(), name);
    expect([answer.status, answer.text]).toEqual([
      says === null ? 200 : 413,
      expect.stringContaining(says ?? 'upload_id'),
    ]);
    expect(longestMs).toBeLessThan(maxWaitMs);
    expect(child.exitCode).toBeNull();
  },
  90_000,
);
