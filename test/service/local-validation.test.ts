import { describe, expect, test } from 'vitest';
import { createEngine } from '../../src/service/local-validation.js';

const untyped = (value: unknown) => value as never;

describe('callers without types', () => {
  test.each([undefined, null, 5, {}, ''])('validate(%j) is a result, not an exception', async (given) => {
    const engine = createEngine({ level: 'syntax' });
    expect(await engine.validate(untyped(given))).toMatchObject({
      status: 'invalid',
      sub_status: 'failed_syntax_check',
    });
  });

  test('a plain list is taken as it is meant', async () => {
    const engine = createEngine({ level: 'syntax' });
    const seen: string[] = [];
    for await (const answers of engine.validateMany(untyped(['a@python.org', 'b@python.org', null]))) {
      for (const { result } of answers) seen.push(`${result.email} ${result.status}`);
    }
    expect(seen).toEqual(['a@python.org valid', 'b@python.org valid', ' invalid']);
  });

  test('a level that does not exist is refused with the ones that do', async () => {
    await expect(createEngine({ level: untyped('deep') }).validate('a@b.co')).rejects.toMatchObject({
      code: 'usage',
      hint: 'Use one of: syntax, dns, smtp.',
    });
  });
});
