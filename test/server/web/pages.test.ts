import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { pages } from '../../../src/wire/app.js';
import { pathOf } from '../../../src/wire/routes.js';
import { ask } from '../run-server.js';
import { startForTest, useServer } from '../use-server.js';

const page = '<!doctype html><title>mailvet</title>';
const script = 'document.title = "ready";';

/** As the build leaves it. */
function writePages(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mailvet-pages-'));
  const write = (file: string, text: string, type: string) => {
    writeFileSync(join(folder, file), text);
    writeFileSync(join(folder, `${file}.br`), brotliCompressSync(text));
    writeFileSync(join(folder, `${file}.gz`), gzipSync(text));
    return { file, type };
  };
  const list = {
    page: write('page.html', page, 'text/html; charset=utf-8'),
    assets: [{ path: '/assets/main-ABC.js', ...write('main-ABC.js', script, 'text/javascript; charset=utf-8') }],
  };
  writeFileSync(join(folder, 'files.json'), JSON.stringify(list));
  return folder;
}

describe('pages', () => {
  const folder = writePages();
  const server = useServer({ web: { folder } });
  const get = (path: string, headers = {}, method: 'GET' | 'HEAD' = 'GET') =>
    ask(`${server.root}${path}`, { headers, method });

  test.each(pages)('$path returns the page', async (route) => {
    const { status, text, headers } = await get(pathOf(route, { id: 'some-id' }));
    expect([status, text, headers['content-type']]).toEqual([200, page, 'text/html; charset=utf-8']);
    expect(headers['cache-control']).toBe('no-cache');
  });

  test('an asset of another version is 404, and the hint says to reload', async () => {
    const { status, json } = await get('/assets/main-OLD.js');
    expect(status).toBe(404);
    expect(json).toHaveProperty('error.hint', 'Reload the page.');
  });

  test('an asset is kept forever, compressed as the browser accepts it, and not sent twice', async () => {
    const plain = await get('/assets/main-ABC.js');
    expect(plain.text).toBe(script);
    expect(plain.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
      vary: 'accept-encoding',
    });
    const codings = ['gzip, deflate, br', 'gzip', 'br;q=0, gzip', 'identity'];
    const used = await Promise.all(codings.map((coding) => get('/assets/main-ABC.js', { 'accept-encoding': coding })));
    expect(used.map(({ headers }) => headers['content-encoding'])).toEqual(['br', 'gzip', 'gzip', undefined]);
    const known = await get('/assets/main-ABC.js', { 'if-none-match': `"x", W/${plain.headers['etag']}` });
    expect([known.status, known.text]).toEqual([304, '']);
    const head = await get('/assets/main-ABC.js', {}, 'HEAD');
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', String(script.length)]);
  });

  test.each(['/assets/other.js', '/assets/../page.html', '/assets/%2e%2e/files.json', '/files.json', '/page.html'])(
    '%s is not served',
    async (path) => {
      const { status, text } = await get(path);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(text).not.toContain('doctype');
    },
  );

  test('an unknown path returns the page to a browser, and JSON to a program', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
    const lost = await get('/nope/here?x=1', { accept });
    expect([lost.status, lost.text, lost.headers['content-type']]).toEqual([404, page, 'text/html; charset=utf-8']);
    expect(lost.headers['content-security-policy']).toContain("default-src 'none'");
    expect((await get('/lists/7', { accept })).status).toBe(200);
    expect((await get('/assets/main-ABC.js', { accept })).text).toBe(script);
    expect((await get('/healthz', { accept })).headers['content-type']).toContain('json');
    for (const path of ['/api', '/api/v1/nope', '/api/v1/bulk/jobs', '/app/nope', '/app?x']) {
      const { status, json } = await get(path, { accept });
      expect([path, status, json]).toMatchObject([path, 401, { error: { code: 'key_missing' } }]);
    }
    expect((await get('/nope')).status).toBe(401);
    const known = await ask(`${server.root}/nope`, { key: server.key, headers: { accept } });
    expect([known.status, known.json]).toMatchObject([404, { error: { code: 'not_found' } }]);
  });
});

test('without built pages, requests for them report it, and the API works', async () => {
  const server = await startForTest();
  const { status, json } = await ask(`${server.root}/`);
  expect([status, json]).toMatchObject([503, { error: { hint: expect.stringContaining('npm run build') } }]);
  expect((await ask(`${server.url}/credits`, { key: server.key })).status).toBe(200);
});

test('with the web application off, there are no pages and no sessions', async () => {
  const server = await startForTest({ web: null });
  for (const path of ['/', '/app/session', '/app/sign-in', '/lists']) {
    expect((await ask(`${server.root}${path}`, { key: server.key })).status).toBe(404);
  }
  const cookie = { cookie: `mailvet=${'A'.repeat(43)}` };
  expect((await ask(`${server.url}/bulk/jobs`, { headers: cookie })).json).toMatchObject({
    error: { code: 'key_missing' },
  });
});
