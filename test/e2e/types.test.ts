import { spawn } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { freshFolder } from '../cli/run-cli.js';
import { waitForExit } from './run-binary.js';

const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

const program = `
import { createEngine, Failure, parseAddress, type Validation, type ValidationResult } from 'mailvet';
import { type EmailSchema, emailSchema, suggest } from 'mailvet/address';
const engine: Validation = createEngine({ level: 'syntax', onNote: (note) => note.length });
const result: ValidationResult = await engine.validate('ada@python.org', { explain: true });
const local = await engine.validate('ada@python.org');
if (local.status === 'valid' && local.sub_status === 'not_probed') result.reasons.push('');
// @ts-expect-error: there is no such status.
if (local.status === 'vaild') result.reasons.push('');
// @ts-expect-error: there is no such sub-status.
if (local.sub_status === 'catchall') result.reasons.push('');
// @ts-expect-error: an option that is not documented.
createEngine({ planTier: 'pro' });
for await (const answers of engine.validateMany(['ada@python.org'])) {
  // @ts-expect-error: the same in a list.
  for (const answer of answers) if (answer.result.status === 'vaild') result.reasons.push('');
}
async function* chunks() { yield ['ada@python.org']; }
for (const emails of [['ada@python.org'], [['ada@python.org']], new Set(['ada@python.org']), chunks()]) {
  for await (const answers of engine.validateMany(emails)) answers.map(({ result: { email } }) => email.length);
}
const parsed = parseAddress(result.email);
if (!parsed.ok) throw new Failure('usage', parsed.fault.message);
const schema: EmailSchema = emailSchema({ refuse: ['typo'] });
const issue = schema['~standard'].types?.input ?? suggest('ada@python.org');
`;

test('a program with only this package compiles, with every declaration checked', async () => {
  const folder = freshFolder();
  // A copy, because a link would also expose files that the package does not contain.
  const installed = join(folder, 'node_modules/mailvet');
  for (const part of ['package.json', 'dist/types']) cpSync(part, join(installed, part), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'program.ts'), program);
  const options = { strict: true, module: 'nodenext', target: 'es2022', types: [], noEmit: true };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['program.ts'] }));
  expect(await waitForExit(spawn(process.execPath, [compiler, '-p', folder]))).toMatchObject({ out: '', status: 0 });
});
