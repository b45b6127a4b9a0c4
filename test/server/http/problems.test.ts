import { expect, test } from 'vitest';
import { Failure } from '../../../src/model/failure.js';
import { failureOf } from '../../../src/server/http/problems.js';

test.each([
  { type: 'string', want: 'The field credits must be a string.' },
  { type: ['integer', 'null'], want: 'The field credits must be a whole number or null.' },
])('a field of the wrong type is reported: $want', ({ type, want }) => {
  const validation = [{ keyword: 'type', instancePath: '/credits', params: { type }, message: 'must be string,null' }];
  expect(failureOf({ validation, validationContext: 'body' }).message).toBe(want);
});

test.each(['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND'])('a removed part of the program (%s) is 503', (code) => {
  const error = Object.assign(new Error("Cannot find module './preview-a1.cjs'"), { code });
  for (const thrown of [error, new Failure('internal', 'Something went wrong.', { cause: error })]) {
    const failure = failureOf(thrown);
    expect(failure.code).toBe('unavailable');
    expect(failure.hint).toMatch(/restart the server, then reload/);
  }
});
