import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { askToDelete } from '../../../src/cli/terminal/prompt.js';

async function answerWith(...lines: string[]) {
  const input = new PassThrough();
  const output = new PassThrough();
  const answer = askToDelete('Delete it?', { input, output });
  for (const line of lines) {
    for (const key of `${line}\r`) {
      input.write(key);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return { isYes: await answer, shown: String(output.read()) };
}

test.each([
  ['y', true],
  ['YES', true],
  ['', false],
  ['n', false],
  ['no', false],
])('%j to a question before a deletion is %j', async (line, isYes) => {
  expect((await answerWith(line)).isYes).toBe(isYes);
});

test.each(['ls -l', 'yarn test', 'git pull'])('a command that is typed ahead (%s) deletes nothing', async (line) => {
  const { isYes, shown } = await answerWith(line, '\u0015n');
  expect(isYes).toBe(false);
  expect(shown).toContain('Answer y or n.');
});
