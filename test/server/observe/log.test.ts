import { describe, expect, test } from 'vitest';
import { type LogLevel, openLog } from '../../../src/server/observe/log.js';

const request = { reqId: 'trace-7', method: 'GET', route: '/healthz', status: 200, ms: 3, keyId: undefined };

function linesOf(level: LogLevel): Record<string, unknown>[] {
  let text = '';
  const log = openLog({ level, write: (lines) => (text += lines) });
  log.info('Server listening');
  log.answered(request);
  log.answered({ ...request, keyId: 'id-1' });
  log.requestFailed('trace-8', 'internal', new TypeError('no ada@python.org in mv_abcdefgh12'));
  log.error('a text');
  log.flush();
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

describe('the log', () => {
  test('is one JSON object per line, with the same fields for each request', () => {
    expect(linesOf('info')).toEqual([
      { level: 30, time: expect.any(Number), msg: 'Server listening' },
      {
        level: 30,
        time: expect.any(Number),
        reqId: 'trace-7',
        method: 'GET',
        route: '/healthz',
        status: 200,
        ms: 3,
        msg: 'answered',
      },
      expect.objectContaining({ key: 'id-1', msg: 'answered' }),
      {
        level: 50,
        time: expect.any(Number),
        reqId: 'trace-8',
        code: 'internal',
        err: { type: 'TypeError', message: '', stack: expect.stringContaining('TypeError: no …@… in mv_…') },
        msg: 'failed',
      },
      expect.objectContaining({ level: 50, msg: 'background error' }),
    ]);
  });

  test.each([
    { level: 'debug', count: 5 },
    { level: 'info', count: 5 },
    { level: 'warn', count: 2 },
    { level: 'error', count: 2 },
    { level: 'silent', count: 0 },
  ] as const)('of level $level has $count of them', ({ level, count }) => expect(linesOf(level)).toHaveLength(count));

  test('writes many lines at once, and soon', async () => {
    const written = await new Promise((resolve) => {
      const log = openLog({ level: 'info', write: resolve });
      for (let line = 0; line < 3; line++) log.answered(request);
    });
    expect(String(written).trim().split('\n')).toHaveLength(3);
  });
});
