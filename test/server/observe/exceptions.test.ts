import { expect, test } from 'vitest';
import { ask } from '../run-server.js';
import { startForTest } from '../use-server.js';

test('an internal exception outside of requests is logged with its stack, and counted', async () => {
  let report: (error: unknown) => void = () => {};
  const server = await startForTest({
    reportExceptions: (to) => {
      report = to;
    },
  });
  report(new TypeError('a bug of our own'));
  await server.logged('TypeError: a bug of our own');
  expect(server.log()).toContain('exceptions.test');
  expect((await ask(`${server.root}/metrics`, { key: server.key })).text).toMatch(/^mailvet_exceptions_total 1$/m);
});
