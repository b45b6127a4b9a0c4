import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { bareEnvironment, runBinary } from './run-binary.js';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const keyId = randomBytes(8);
const rawKey = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
const key = Buffer.concat([Buffer.from('Ed'), keyId, rawKey]).toString('base64');

function signatureOf(content: Buffer): string {
  const proof = sign(null, createHash('blake2b512').update(content).digest(), privateKey);
  const global = sign(null, proof, privateKey);
  const line = Buffer.concat([Buffer.from('ED'), keyId, proof]).toString('base64');
  return `untrusted comment: x\n${line}\ntrusted comment: \n${global.toString('base64')}\n`;
}

test('lists update installs from a URL that redirects, validate uses the lists, and a changed package is refused', async () => {
  const data = readFileSync(join(import.meta.dirname, '../../src/engine/data/disposable.txt'), 'utf8');
  const lines = [...data.trimEnd().split('\n'), 'opened-yesterday.com'];
  const generated = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const content = gzipSync(
    JSON.stringify({ format: 'mailvet-lists/1', generated, files: { 'disposable.txt': lines } }),
  );
  const home = mkdtempSync(join(tmpdir(), 'mailvet-lists-e2e-'));
  const env = { ...bareEnvironment(), MAILVET_HOME: home };
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '', 'http://localhost');
    if (pathname.startsWith('/old/')) {
      response.writeHead(302, { location: pathname.replace('/old/', '/new/') + search }).end();
    } else if (pathname === '/new/lists.json.gz') response.end(content);
    else if (pathname === '/new/lists.json.gz.minisig') response.end(signatureOf(content));
    else response.writeHead(404).end('no');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const update = (...args: string[]) => runBinary(['lists', 'update', '--json', ...args], { env });
  const verdict = async () => {
    const { out } = await runBinary(['validate', 'ada@opened-yesterday.com', '--level', 'syntax', '--json'], { env });
    return (JSON.parse(out) as { sub_status: string }).sub_status;
  };
  try {
    expect(await verdict()).toBe('not_probed');
    const missing = await update('--from', `${root}/new/none.json.gz`, '--key', key);
    expect(missing).toMatchObject({ status: 4, err: expect.stringContaining('status 404') });

    const updated = await update('--from', `${root}/old/lists.json.gz?token=secret`, '--key', key);
    expect(updated).toMatchObject({ status: 0, err: expect.stringContaining('installed') });
    expect(JSON.parse(updated.out).lists).toContainEqual(
      expect.objectContaining({ file: 'disposable.txt', generated, origin: 'installed' }),
    );
    expect(await verdict()).toBe('disposable');
    expect(readFileSync(join(home, 'lists/current.json'), 'utf8')).not.toContain('secret');

    const changed = join(home, 'changed.json.gz');
    writeFileSync(changed, Buffer.concat([content, Buffer.from(' ')]));
    expect(await update('--from', changed, '--key', key)).toMatchObject({
      status: 2,
      err: expect.stringContaining('.minisig'),
    });
    writeFileSync(`${changed}.minisig`, signatureOf(content));
    expect(await update('--from', changed, '--key', key)).toMatchObject({
      status: 2,
      err: expect.stringContaining('does not match'),
    });
    expect(await verdict()).toBe('disposable');
    expect(await runBinary(['lists', 'update', '--from', 'bundled'], { env })).toMatchObject({ status: 0 });
    expect(await verdict()).toBe('not_probed');
  } finally {
    server.close();
    server.closeAllConnections();
    rmSync(home, { recursive: true, force: true });
  }
});
