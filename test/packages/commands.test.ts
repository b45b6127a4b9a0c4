import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import {
  type Installation,
  installFromDeb,
  installFromImage,
  installFromNpm,
  installFromTarball,
  requireRoot,
} from './installations.js';

beforeAll(requireRoot);

describe.each([
  { name: 'npm', install: installFromNpm },
  { name: 'executable', install: installFromTarball },
  { name: 'deb', install: installFromDeb },
  { name: 'image', install: installFromImage },
])('$name', ({ install }) => {
  let installation: Installation;
  beforeAll(() => {
    installation = install();
    writeFileSync(join(installation.folder.hostPath, 'list.csv'), 'email,id\njane.doe@gmail.com,1\nnot an address,2\n');
  }, 300_000);
  afterAll(() => installation.dispose());

  /** Runs a command that must succeed, or end with `status`; returns its stdout. */
  function mailvet(args: readonly string[], status = 0): string {
    const [command, ...before] = installation.command;
    const run: SpawnSyncReturns<string> = spawnSync(command, [...before, ...args], {
      env: installation.env,
      encoding: 'utf8',
    });
    expect({ args, status: run.status, stderr: run.stderr }).toEqual({ args, status, stderr: expect.any(String) });
    return run.stdout;
  }
  const inside = (name: string): string => `${installation.folder.pathInside}/${name}`;
  const read = (name: string): string => readFileSync(join(installation.folder.hostPath, name), 'utf8');

  test('--version', () => expect(mailvet(['--version'])).toBe(`${packageJson.version}\n`));

  test('validate, also with an international domain', () => {
    expect(mailvet(['validate', 'jane.doe@gmail.com', '--level', 'syntax', '--json'])).toContain('"valid"');
    expect(mailvet(['validate', 'dörte@sörensen.de', '--level', 'syntax'])).toContain('xn--srensen-90a.de');
  });

  test('bulk', () => {
    mailvet(['bulk', inside('list.csv'), '--level', 'syntax', '-o', inside('vetted.csv')]);
    expect(read('vetted.csv')).toContain('jane.doe@gmail.com,1,valid');
    mailvet(['bulk', inside('list.csv'), '--level', 'syntax', '-o', inside('vetted.csv.gz')]);
    mailvet(['report', inside('vetted.csv'), '-o', inside('report.html')]);
    expect(read('report.html')).toContain('</html>');
  });

  test('upload, with --wait and in the background', () => {
    const upload = ['upload', inside('list.csv'), '--column', 'email', '--yes', '--level', 'syntax'];
    mailvet([...upload, '--wait', '-o', inside('job.csv')]);
    expect(read('job.csv')).toContain('not an address,2,invalid');
    const { id } = JSON.parse(mailvet([...upload, '--json'])) as { id: string };
    expect(mailvet(['jobs', 'get', id, '--watch', '--json'])).toContain('"completed"');
  });

  test('jobs list', () => expect(JSON.parse(mailvet(['jobs', 'list', '--json']))).toMatchObject({ total: 2 }));

  test('serve, keys and the web application', async () => {
    const { key } = JSON.parse(mailvet(['keys', 'create', '--name', 'test', '--json'])) as { key: string };
    const [command, ...before] = installation.command;
    const server = spawn(command, [...before, 'serve', '--port', '0', '--level', 'syntax', '--json'], {
      env: installation.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const [line] = (await once(server.stdout, 'data')) as [Buffer];
      const { url } = JSON.parse(line.toString('utf8')) as { url: string };
      const headers = { 'X-API-Key': key };
      const answer = await fetch(`${url}/validation/single?email=jane.doe@gmail.com`, { headers });
      expect(await answer.json()).toMatchObject({ status: 'valid' });
      expect(mailvet(['serve', '--check', '--port', new URL(url).port])).toBe('The server is ready.\n');
      const page = await fetch(new URL('/', url));
      const script = /src="(\/assets\/main-[^"]+)"/.exec(await page.text())?.[1] ?? '';
      expect((await fetch(new URL(script, url))).headers.get('content-type')).toMatch('javascript');
    } finally {
      server.kill('SIGTERM');
    }
    expect(await once(server, 'exit')).toEqual([0, null]);
  });

  test('completion', () => expect(mailvet(['completion', 'bash'])).toContain('-F _mailvet mailvet'));

  test('man: a page for each command, without errors', () => {
    const files = readdirSync(installation.man).filter((file) => file.startsWith('mailvet'));
    const pages = files.map((file) => join(installation.man, file));
    expect(pages.length).toBe(packageJson.man.length);
    for (const page of pages) {
      const bytes = readFileSync(page);
      const input = page.endsWith('.gz') ? gunzipSync(bytes) : bytes;
      const { stdout, stderr } = spawnSync('mandoc', ['-T', 'lint', '-W', 'error'], { input, encoding: 'utf8' });
      expect(`${page}${stdout}${stderr}`).toBe(page);
    }
  });

  test('uninstall', () => expect(installation.uninstall()).toEqual([]));
});
