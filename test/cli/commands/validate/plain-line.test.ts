import { describe, expect, test } from 'vitest';
import { runTree } from '../../../../src/cli/command-tree.js';
import { readPlainLine } from '../../../../src/cli/commands/validate/plain-line.js';
import { runCli } from '../../run-cli.js';

describe('a plain line is read as commander reads it', () => {
  test.each([
    'validate a@b.co',
    'validate a@b.co --json',
    'validate a@b.co --level syntax --json',
    'validate --json --level dns a@b.co c@d.co',
    'validate invalid@b.co --level smtp --level syntax',
    'validate a@b.co --json --json',
    'validate help --level syntax',
    'validate a@b.co --tls required --ehlo-name mx.b.co --timeout 3s --smtp-port 2525',
    'validate a@b.co --resolver 192.0.2.1 --resolver 192.0.2.2 --allow-network 10.0.0.0/8',
  ])('%s', async (line) => {
    const args = line.split(' ');
    expect(readPlainLine(args)).not.toBeNull();
    for (const tty of [true, false]) {
      const plain = await runCli(args, { tty });
      expect(plain.opened).toHaveLength(1);
      expect(plain).toEqual(await runCli(args, { tty }, runTree));
    }
  });
});

describe('every other line is left to commander', () => {
  test.each([
    '',
    'validate',
    'validate --json',
    'validate -',
    'validate a@b.co -',
    'validate -- a@b.co',
    'validate a@b.co --level',
    'validate a@b.co --level deep',
    'validate a@b.co --level --json',
    'validate a@b.co --level=syntax',
    'validate a@b.co --tls always',
    'validate a@b.co --resolver',
    'validate a@b.co --mail-from --json',
    'validate a@b.co --no-ai',
    'validate a@b.co --retries 3',
    'validate a@b.co --timeo 3s',
    'validate a@b.co --help',
    'validate a@b.co -q',
    'validate a@b.co --only valid',
    'bulk a@b.co --json',
    '--json validate a@b.co',
  ])('%s', (line) => {
    expect(readPlainLine(line === '' ? [] : line.split(' '))).toBeNull();
  });

  test('an empty word, which is no address', () => {
    expect(readPlainLine(['validate', ''])).toBeNull();
  });
});
