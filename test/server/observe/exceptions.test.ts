import { expect, test } from 'vitest';
import { ask, openServer } from '../run-server.js';

test('an internal exception outside of requests is logged with its stack, and counted', async () => {
  let report: (error: unknown) => void = () => {};
  const server = await openServer({
    reportExceptions: (to) => {
      report = to;
    },
  });
  try {
    report(new TypeError('a bug of our own'));
    await server.logged('TypeError: a bug of our own');
    expect(server.log()).toContain('exceptions.test');
    const { text } = await ask(`${server.root}/metrics`, { key: server.key });
    expect(text).toMatch(/^mailvet_exceptions_total 1$/m);
  } finally {
    await server.stop();
  }
});
