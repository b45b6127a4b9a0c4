import { gzipSync } from 'node:zlib';
import { request } from 'undici';
import { beforeAll, describe, expect, test } from 'vitest';
import { findJsonFault } from '../../../src/server/http/json-body.js';
import { ask } from '../run-server.js';
import { useServer } from '../use-server.js';
import { type Browser, signedInAdmin } from '../web/browser.js';

const long = 'x'.repeat(5_000);

test.each([
  { name: 'lists in lists', text: '['.repeat(5_000), want: 'usage' },
  { name: 'objects in lists in objects', text: '{"a":['.repeat(1_000), want: 'usage' },
  { name: 'a list of many objects', text: `[${'{"a":[1]},'.repeat(1_000)}1]`, want: undefined },
  { name: 'brackets within a text', text: `{"a":"${'['.repeat(5_000)}"}`, want: undefined },
  { name: 'brackets after an escaped quote', text: `{"a":"\\"${'['.repeat(5_000)}"}`, want: undefined },
  { name: 'brackets after an escaped backslash', text: `{"a":"${long}\\\\","b":${'['.repeat(9)}`, want: 'usage' },
  { name: 'a short text, however deep', text: '['.repeat(1_000), want: undefined },
  { name: 'empty lists without end', text: `[${'[],'.repeat(10_001)}1]`, want: 'bad_input' },
  { name: 'ten thousand numbers', text: `[${'1,'.repeat(9_999)}1]`, want: undefined },
  { name: 'commas within a text', text: `{"a":"${','.repeat(20_000)}"}`, want: undefined },
])('$name: fault $want', ({ text, want }) => expect(findJsonFault(text)?.code).toBe(want));

describe('a JSON body', () => {
  const server = useServer();
  let admin: Browser;
  beforeAll(async () => {
    admin = await signedInAdmin(server);
  });

  const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
  test.each([
    { name: 'bytes that are not UTF-8', body: bytes('{"name":"M\xfcller"}'), headers: {}, status: 400 },
    { name: 'half of a character', body: bytes('{"name":"\xed\xa0\x80"}'), headers: {}, status: 400 },
    { name: 'gzip', body: gzipSync('{"name":"x"}'), headers: { 'content-encoding': 'gzip' }, status: 415 },
    { name: 'plain, although it says gzip', body: bytes('{}'), headers: { 'content-encoding': 'GZIP' }, status: 415 },
    { name: 'UTF-8', body: Buffer.from('{"name":"Müller"}'), headers: {}, status: 200 },
    { name: 'identity', body: bytes('{"name":"x"}'), headers: { 'content-encoding': 'identity' }, status: 200 },
  ])('in the encoding "$name": status $status', async ({ body, headers, status }) => {
    const answer = await request(`${server.root}/app/keys`, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie: admin.cookie ?? '' },
        ...headers,
      },
      body,
    });
    await answer.body.dump();
    expect(answer.statusCode).toBe(status);
  });

  test('that is nested deeply is refused before it is parsed, and later requests are served', async () => {
    const headers = { 'content-type': 'application/json' };
    const body = `{"emails":${'['.repeat(900_000)}${']'.repeat(900_000)}}`;
    const refused = await ask(`${server.url}/validation/bulk`, { key: server.key, headers, body });
    expect(refused.status).toBe(400);
    expect(refused.json?.['error']).toMatchObject({ code: 'usage' });
    const emails = Array.from({ length: 500 }, (_, index) => `user${index}@python.org`);
    expect((await ask(`${server.url}/validation/bulk`, { key: server.key, body: { emails } })).status).toBe(200);
  });
});
