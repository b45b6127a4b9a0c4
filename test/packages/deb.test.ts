import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { artifact, inJail, makeDebian, requireRoot } from './installations.js';

describe('the Debian package', () => {
  let jail = '';
  beforeAll(() => {
    requireRoot();
    jail = makeDebian();
  }, 300_000);
  afterAll(() => rmSync(jail, { recursive: true, force: true }));
  const inside = (path: string): string => join(jail, path);

  test('lintian finds no error', () => {
    const { stdout, status } = spawnSync('lintian', ['--fail-on', 'error', artifact('.deb')], { encoding: 'utf8' });
    expect({ status, errors: stdout.match(/^E:.*$/gm) }).toEqual({ status: 0, errors: null });
  });

  test('an installation adds a user without a shell and a private data directory', () => {
    execFileSync('cp', [artifact('.deb'), inside('tmp/old.deb')]);
    inJail(jail, 'dpkg', '--install', '/tmp/old.deb');
    expect(readFileSync(inside('etc/passwd'), 'utf8')).toMatch(
      /^mailvet:x:\d+:\d+::\/var\/lib\/mailvet:\/usr\/sbin\/nologin$/m,
    );
    expect(statSync(inside('var/lib/mailvet')).mode & 0o777).toBe(0o700);
    expect(
      inJail(jail, 'bash', '-c', '. /usr/share/bash-completion/completions/mailvet; complete -p mailvet'),
    ).toContain('_mailvet');
  });

  test('an upgrade keeps data and changed settings', () => {
    writeFileSync(inside('etc/default/mailvet'), 'MAILVET_LEVEL=dns\n');
    writeFileSync(inside('var/lib/mailvet/kept'), '');
    const folder = mkdtempSync(join(tmpdir(), 'mailvet-deb-'));
    execFileSync('dpkg-deb', ['--raw-extract', artifact('.deb'), folder]);
    const control = readFileSync(join(folder, 'DEBIAN/control'), 'utf8');
    writeFileSync(join(folder, 'DEBIAN/control'), control.replace(/^Version: .*$/m, 'Version: 999'));
    execFileSync('dpkg-deb', ['--root-owner-group', '-Znone', '--build', folder, inside('tmp/new.deb')]);
    rmSync(folder, { recursive: true });
    inJail(jail, 'dpkg', '--install', '/tmp/new.deb');
    expect(inJail(jail, 'dpkg-query', '--status', 'mailvet')).toContain('Version: 999\n');
    expect(readFileSync(inside('etc/default/mailvet'), 'utf8')).toBe('MAILVET_LEVEL=dns\n');
    expect(existsSync(inside('var/lib/mailvet/kept'))).toBe(true);
  });

  test('a removal keeps data and settings; a purge does not', () => {
    inJail(jail, 'dpkg', '--remove', 'mailvet');
    expect(existsSync(inside('usr/bin/mailvet'))).toBe(false);
    expect(existsSync(inside('var/lib/mailvet/kept'))).toBe(true);
    inJail(jail, 'dpkg', '--purge', 'mailvet');
    expect(existsSync(inside('var/lib/mailvet'))).toBe(false);
    expect(existsSync(inside('etc/default/mailvet'))).toBe(false);
    expect(readFileSync(inside('etc/passwd'), 'utf8')).not.toContain('mailvet');
  });
});
