import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { createMetrics, renderCluster, renderHosts, renderQueue } from '../../src/server/observe/metrics.js';
import { runCli } from '../cli/run-cli.js';

const folder = join(import.meta.dirname, '../../examples');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const parse = (name: string): unknown => {
  const [document, ...more] = parseAllDocuments(read(name), { merge: true });
  expect(more).toEqual([]);
  expect([...(document?.errors ?? []), ...(document?.warnings ?? [])]).toEqual([]);
  return document?.toJS();
};
/** Every command line in the file that begins with `mailvet`. */
function commandsIn(value: unknown): string[][] {
  if (Array.isArray(value) && value[0] === 'mailvet') return [value.map(String)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(commandsIn);
}

/** The error message of a command, for example for an unknown flag. Variables of systemd and Kubernetes are filled in. */
async function isUnderstood([, ...words]: string[]): Promise<string> {
  return (await runCli([...words.map((word) => word.replace(/[$%].*/, 'w1')), '--help'])).err;
}

test('in the example of a CI job, each step is a script, and each command is valid', async () => {
  const { jobs } = parse('ci/github-actions.yml') as { jobs: { test: { steps: { run?: string }[] } } };
  const scripts = jobs.test.steps.flatMap(({ run }) => run ?? []);
  for (const script of scripts) expect(spawnSync('bash', ['-n'], { input: script, encoding: 'utf8' }).stderr).toBe('');
  const commands = scripts.flatMap((script) => [...script.matchAll(/\b(mailvet (?:keys|serve|bulk) [^|>\n]*)/g)]);
  expect(commands).toHaveLength(3);
  for (const [command] of commands) expect(await isUnderstood(command.trim().split(' '))).toBe('');
});

describe('the examples for deployment', () => {
  test.each(['compose.yaml', 'kubernetes/mailvet.yaml'])(
    '%s is valid, and starts commands that exist',
    async (name) => {
      const commands = commandsIn(parse(name));
      expect(commands.length).toBeGreaterThan(2);
      for (const command of commands) expect(await isUnderstood(command)).toBe('');
    },
  );

  test('systemd units start commands that exist, and systemd finds no error', async () => {
    const units = readdirSync(join(folder, 'systemd'));
    expect(units.length).toBeGreaterThan(2);
    for (const unit of units) {
      const [, words = ''] = /^ExecStart=\/usr\/bin\/env (mailvet .*)$/m.exec(read(`systemd/${unit}`)) ?? [];
      expect(await isUnderstood(words.split(' '))).toBe('');
    }
    const found = spawnSync('systemd-analyze', ['verify', ...units.map((unit) => join(folder, 'systemd', unit))]);
    // Skipped if there is no systemd.
    if (found.error === undefined) expect(String(found.stderr)).not.toMatch(/mailvet/);
  });

  test('the unit of the Debian package starts a command that exists, and systemd finds no error', async () => {
    const unit = readFileSync(join(folder, '../packaging/mailvet.service'), 'utf8');
    const [, words = ''] = /^ExecStart=\/usr\/bin\/(mailvet .*) \$SERVE_FLAGS$/m.exec(unit) ?? [];
    expect(await isUnderstood(words.split(' '))).toBe('');
    const copy = join(mkdtempSync(join(tmpdir(), 'mailvet-unit-')), 'mailvet.service');
    writeFileSync(copy, unit.replace('/usr/bin/mailvet', '/usr/bin/env mailvet'));
    const found = spawnSync('systemd-analyze', ['verify', '--man=no', copy]);
    if (found.error === undefined) expect(String(found.stderr)).not.toMatch(/mailvet/);
  });
});

test.each(['test.yml', 'release.yml'])('the workflow %s pins actions by commit', (name) => {
  const workflow = readFileSync(join(folder, '../.github/workflows', name), 'utf8');
  const actions = [...workflow.matchAll(/uses: (.*)$/gm)].map(([, action = '']) => action);
  expect(actions.length).toBeGreaterThan(1);
  expect(actions.filter((action) => !/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
});

describe('rules and dashboard', () => {
  const cluster = renderCluster({ workers: [], stalledJobs: 0, oldestQueuedMs: 0 });
  const metrics =
    createMetrics().render(0, {}, 0) +
    renderHosts({}) +
    cluster +
    renderQueue({ writeMs: 0, running: 0, waiting: 0, waitedMs: 0 });
  const names = [...metrics.matchAll(/^# TYPE (\S+) (\S+)/gm)].flatMap(([, name, type]) =>
    type === 'histogram' ? ['bucket', 'count', 'sum'].map((part) => `${name}_${part}`) : [name],
  );
  const namesIn = (text: string): string[] =>
    [...text.matchAll(/\b(?:mailvet|process)_[a-z_]+\b/g)].map(([name]) => name);

  test.each([
    { file: 'prometheus/alerts.yaml', expressions: () => expressionsOf(parse('prometheus/alerts.yaml')) },
    { file: 'grafana/mailvet.json', expressions: () => expressionsOf(JSON.parse(read('grafana/mailvet.json'))) },
  ])('$file uses only metrics that the server has', ({ expressions }) => {
    const asked = expressions();
    expect(asked.length).toBeGreaterThan(8);
    for (const expression of asked) {
      expect(namesIn(expression).length).toBeGreaterThan(0);
      for (const name of namesIn(expression)) expect(names).toContain(name);
    }
  });
});

function expressionsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === 'expr' ? [String(inner)] : expressionsOf(inner)));
}
