import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bareEnvironment } from './run-binary.js';

const root = resolve(import.meta.dirname, '../..');
const examples = join(root, 'examples/pipelines');
const python = join(root, 'test/fixtures/python');
const hasPython = spawnSync('python3', ['--version']).status === 0;
const hasDuckdb = hasPython && spawnSync('python3', ['-c', 'import duckdb']).status === 0;
const list = 'id,email\n1,ada@python.org\n2,a..b@python.org\n3,=1+1@python.org\n4,\n';

/** A folder for PATH with `mailvet` and other commands. */
function openFolder(commands: Record<string, string> = {}) {
  const env = bareEnvironment({ MAILVET_LEVEL: 'syntax', MAILVET_LISTS: '', PYTHONDONTWRITEBYTECODE: '1' });
  const cwd = String(env['HOME']);
  const mailvet = `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'bin/mailvet.js')}' "$@"\n`;
  mkdirSync(join(cwd, 'bin'));
  for (const [name, script] of Object.entries({ mailvet, ...commands })) {
    writeFileSync(join(cwd, 'bin', name), script);
    chmodSync(join(cwd, 'bin', name), 0o755);
  }
  const run = (command: string, ...args: string[]): string =>
    execFileSync(command, args, {
      cwd,
      env: { ...env, MAILVET_LISTS: cwd, PATH: `${join(cwd, 'bin')}:${env['PATH']}` },
      encoding: 'utf8',
    });
  return { cwd, run };
}

describe('DuckDB', () => {
  /** Writes the list for COPY, and keeps the other statement. */
  const stub = `#!/bin/sh\ncase $2 in COPY*) printf '${list.replaceAll('\n', '\\n')}' > contacts.csv ;; *) printf '%s' "$2" > load.sql ;; esac\n`;
  const real = `#!/usr/bin/env python3\nimport sys, duckdb\nprint(duckdb.connect(sys.argv[1]).sql(sys.argv[2]) or "")\n`;
  const script = join(examples, 'duckdb.sh');

  test('duckdb.sh vets the list, and loads columns that the output has', () => {
    const { cwd, run } = openFolder({ duckdb: stub });
    run('sh', script, 'crm.duckdb');
    const [header = '', ...rows] = readFileSync(join(cwd, 'vetted.csv'), 'utf8').trimEnd().split('\n');
    expect(rows.map((row) => row.split(',').slice(0, 3).join())).toEqual([
      '1,ada@python.org,valid',
      '2,a..b@python.org,invalid',
      '3,=1+1@python.org,valid',
      '4,,empty',
    ]);
    const used = readFileSync(join(cwd, 'load.sql'), 'utf8').match(/mailvet_\w+/g) ?? [];
    expect(used.filter((column) => !header.split(',').includes(column))).toEqual([]);
  });

  test.skipIf(!hasDuckdb)('duckdb.sh fills a table of a real database', () => {
    const { run } = openFolder({ duckdb: real });
    const create =
      "CREATE TABLE contacts AS SELECT * FROM (VALUES (1, 'ada@python.org'), (2, 'a..b@python.org'), (3, NULL)) t(id, email)";
    run('duckdb', 'crm.duckdb', create);
    run('sh', script, 'crm.duckdb');
    run('sh', script, 'crm.duckdb');
    const loaded = run(
      'duckdb',
      'crm.duckdb',
      'SELECT string_agg(id || status, $$ $$ ORDER BY id) FROM email_verdicts',
    );
    expect(loaded).toContain('1valid 2invalid 3empty');
  });
});

describe.skipIf(!hasDuckdb)('dbt', () => {
  test('the model vets new addresses only', () => {
    const { run } = openFolder();
    expect(run('python3', join(python, 'run_model.py'), examples).trim().split('\n')).toEqual([
      "[('a..b@python.org', 'invalid', False), ('ada@python.org', 'valid', False)]",
      "[('bob@python.org', 'valid')]",
    ]);
  });
});

describe.skipIf(!hasPython)('Airflow', () => {
  test('the task replaces the last output, retries a network failure, and stops at a guard', () => {
    const { cwd, run } = openFolder();
    const night = (ds: string, rows: string): string => {
      writeFileSync(join(cwd, 'contacts.csv'), rows);
      return run('python3', join(python, 'run_task.py'), examples, ds).trim();
    };
    const last = join(cwd, 'vetted.csv');
    expect(night('2026-11-16', list)).toBe(last);
    expect(night('2026-11-17', list)).toBe(last);
    const oldOutput = readFileSync(last, 'utf8');
    expect(readFileSync(join(cwd, 'vetted-2026-11-17.csv.changes.csv'), 'utf8')).toBe('change,email,before,after\n');
    // Half of the list is missing.
    expect(night('2026-11-18', list.split('\n').slice(0, 3).join('\n'))).toMatch(
      /^AirflowFailException .* ended with 1;/,
    );
    expect(readFileSync(last, 'utf8')).toBe(oldOutput);
  });
});
