import { describe, expect, test } from 'vitest';
import { exitStatuses, Failure, type FailureCode } from '../../src/model/failure.js';
import { decodeProblem, encodeProblem, errorText, httpStatusOf } from '../../src/wire/problem.js';

describe('the sentence of an error body', () => {
  test.each([
    ['error', { error: 'Bad key' }, 'Bad key'],
    ['message', { message: 'Bad key' }, 'Bad key'],
    ['message next to a short error', { error: 'Unauthorized', message: 'Bad key' }, 'Bad key'],
    ['detail', { detail: 'Bad key' }, 'Bad key'],
    [
      'a list of details',
      { detail: [{ loc: ['body'], msg: 'email missing' }, { msg: 'too long' }] },
      'email missing; too long',
    ],
    ['errors by field', { errors: { email: ['is required', 'is short'] } }, 'email: is required; is short'],
    ['our own', { error: { code: 'no_credits', message: 'Nothing left.' } }, 'Nothing left.'],
    ['a plain string', 'Nothing left.', 'Nothing left.'],
    [
      'a page with a title',
      '<!doctype html><html><head><title>502 Bad &amp; Gateway</title></head></html>',
      '502 Bad & Gateway',
    ],
    ['a page without a title', '<p>Service <b>down</b></p><script>alert(1)</script>', 'Service down'],
    ['nothing', '', ''],
    ['null', null, ''],
    ['a number', 42, ''],
    ['fields without a message', { ok: false, id: 'x' }, ''],
    ['a text inherited from a prototype', Object.create({ message: 'no' }), ''],
    ['control and direction characters', { error: 'a\u001b[31mb\u0007\u202ec\r\nd' }, 'a [31mb c d'],
  ])('%s', (_name, body, want) => expect(errorText(body)).toBe(want));

  test('is capped', () => expect(errorText({ error: 'x'.repeat(100_000) })).toHaveLength(300));
});

describe('the code of an error answer', () => {
  test.each([
    [400, 'bad_input'],
    [401, 'key_refused'],
    [402, 'no_credits'],
    [403, 'key_refused'],
    [404, 'not_found'],
    [405, 'unsupported'],
    [409, 'conflict'],
    [413, 'too_large'],
    [415, 'unsupported'],
    [418, 'remote_error'],
    [422, 'bad_input'],
    [429, 'rate_limited'],
    [500, 'remote_error'],
    [502, 'remote_error'],
    [503, 'unavailable'],
    [504, 'remote_error'],
  ] as const)('HTTP %i is %s', (status, code) => expect(decodeProblem(status, '').code).toBe(code));

  const remoteCodes: FailureCode[] = [
    'bad_input',
    'too_large',
    'unsupported',
    'key_missing',
    'key_refused',
    'no_credits',
    'rate_limited',
    'not_found',
    'conflict',
    'locked',
  ];
  test.each(remoteCodes)('%s is the same after encoding and decoding, with its hint', (code) => {
    const failure = new Failure(code, 'A sentence.', { hint: 'A step.' });
    const back = decodeProblem(httpStatusOf(code), encodeProblem(failure));
    expect(back).toMatchObject({ code, hint: 'A step.', message: expect.stringContaining('A sentence.') });
  });

  test('advice on requests is not advice on commands', () => {
    const failure = new Failure('no_credits', 'A sentence.', {
      hint: 'A step. GET /api/v1/credits shows the balance.',
    });
    expect(decodeProblem(402, encodeProblem(failure)).hint).toContain('mailvet doctor');
  });

  test.each(['internal', 'storage', 'interrupted', 'usage'] as const)(
    '%s of another machine is not taken as our own',
    (code) => {
      const back = decodeProblem(httpStatusOf(code), encodeProblem(new Failure(code, 'A sentence.')));
      expect(['remote_error', 'unavailable', 'bad_input']).toContain(back.code);
    },
  );

  test('a code that does not fit the status is ignored', () => {
    expect(decodeProblem(500, { error: { code: 'no_credits', message: 'x' } }).code).toBe('remote_error');
    expect(decodeProblem(500, { error: { code: 'toString', message: 'x' } }).code).toBe('remote_error');
  });

  test('every code has an HTTP error status', () => {
    const statuses = (Object.keys(exitStatuses) as FailureCode[]).map(httpStatusOf);
    expect(statuses.every((status) => status >= 400 && status < 600)).toBe(true);
  });

  test('Retry-After is preserved', () => expect(decodeProblem(429, '', 7).retryAfterSeconds).toBe(7));
});

test('the message of a service becomes a sentence, with a next step', () => {
  const messageOf = (text: string) => decodeProblem(500, { error: text });
  expect(messageOf('Boom').message).toBe('The service failed (HTTP 500): Boom.');
  expect(messageOf('Boom!').message).toBe('The service failed (HTTP 500): Boom!');
  expect(messageOf('Boom').hint).toContain('Try again later');
});
