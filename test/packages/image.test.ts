import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Installation, installFromImage, requireRoot } from './installations.js';

describe('the image', () => {
  let image: Installation;
  beforeAll(() => {
    requireRoot();
    image = installFromImage();
  }, 300_000);
  afterAll(() => image.dispose());

  const run = ([command = '', ...before]: readonly string[], args: readonly string[]) =>
    spawnSync(command, [...before, ...args], { env: image.env, encoding: 'utf8', input: 'a@b.co\n' });
  const mailvet = (...args: string[]) => run(image.command, args);

  test('its root cannot be written, and its volume can', () => {
    const bulk = ['bulk', '-', '--level', 'syntax', '-o'];
    expect(run(image.command.with(-1, '0:0'), [...bulk, '/out.csv']).stderr).toMatch(/read-only/i);
    expect(mailvet(...bulk, '/out.csv').stderr).toContain('cannot be written');
    expect(mailvet(...bulk, '/data/out.csv').status).toBe(0);
  });

  test('doctor finds a private data directory', () => {
    const { stdout } = mailvet('doctor', '--set', 'level=syntax', '--json');
    const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string }[] };
    const states = Object.fromEntries(checks.map(({ name, state }) => [name, state]));
    expect(states).toMatchObject({ data_directory: 'ok', settings: 'ok' });
  });

  test('--check of a server that does not run fails', () => {
    expect(mailvet('serve', '--check', '--port', '1').status).toBe(4);
  });
});
