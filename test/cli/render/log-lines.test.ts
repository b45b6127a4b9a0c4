import { expect, test } from 'vitest';
import { renderLogLines } from '../../../src/cli/render/log-lines.js';

test.each([
  {
    name: 'a request',
    line: {
      level: 30,
      time: 0,
      method: 'POST',
      route: '/api/v1/validate',
      status: 200,
      ms: 12,
      key: 'k1',
      msg: 'answered',
    },
    want: /^\d\d:\d\d:\d\d {2}200 {2}POST \/api\/v1\/validate {2}12 ms {2}key k1\n$/,
  },
  { name: 'a message', line: { level: 30, time: 0, msg: 'listening' }, want: /^\d\d:\d\d:\d\d {2}listening\n$/ },
  {
    name: 'an error, without the stack',
    line: { level: 50, time: 0, code: 'internal', err: { stack: 'Error: x\n    at y' }, msg: 'failed' },
    want: /^\d\d:\d\d:\d\d {2}error {2}failed: internal: Error: x\n$/,
  },
])('formats $name', ({ line, want }) => {
  expect(renderLogLines(`${JSON.stringify(line)}\n`, { color: false })).toMatch(want);
});

test('shows a line that is not JSON without its control characters', () => {
  expect(renderLogLines('odd\u001b[31m\n', { color: false })).toBe('odd\ufffd[31m\n');
});
