import { expect, test } from 'vitest';
import { failureOf } from '../../../src/server/http/problems.js';

test.each([
  { type: 'string', want: 'The field credits must be a string.' },
  { type: ['integer', 'null'], want: 'The field credits must be a whole number or null.' },
])('a field of the wrong type is reported: $want', ({ type, want }) => {
  const validation = [{ keyword: 'type', instancePath: '/credits', params: { type }, message: 'must be string,null' }];
  expect(failureOf({ validation, validationContext: 'body' }).message).toBe(want);
});
