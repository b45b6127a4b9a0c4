import { expect, test } from 'vitest';
import { asFailure } from '../../src/model/failure.js';
import { pathOf, routes, serviceRoot } from '../../src/wire/routes.js';

test.each([
  ['https://service.example', 'https://service.example/api/v1'],
  ['https://service.example/', 'https://service.example/api/v1'],
  ['  https://service.example/api/v1/  ', 'https://service.example/api/v1'],
  ['https://service.example/api/v1', 'https://service.example/api/v1'],
  ['https://service.example/api', 'https://service.example/api/v1'],
  ['https://gate.example/mail', 'https://gate.example/mail/api/v1'],
  ['https://gate.example/api/v1/tenant', 'https://gate.example/api/v1/tenant'],
  ['https://gate.example/api/v10', 'https://gate.example/api/v10/api/v1'],
  ['http://127.0.0.1:8080?x=1#y', 'http://127.0.0.1:8080/api/v1'],
])('the prefix is added only where it is missing: %s', (baseUrl, want) => expect(serviceRoot(baseUrl).href).toBe(want));

test.each([
  ...['', 'service.example', 'ftp://service.example', 'https://', 'https://user:hunter2@service.example'],
  ...['user:hunter2@x', 'ftp://user:hunter2\n@x'],
])('a base URL that cannot be used is refused without repeating its password: %j', (baseUrl) => {
  const failure = failureOf(() => serviceRoot(baseUrl));
  expect(failure.code).toBe('usage');
  expect(failure.message).not.toContain('hunter2');
});

test.each([
  { id: 'plain-1', want: '/bulk/jobs/plain-1' },
  { id: 'a/b?c#d', want: '/bulk/jobs/a%2Fb%3Fc%23d' },
  { id: '..', want: '/bulk/jobs/%2E%2E' },
  { id: '$&', want: '/bulk/jobs/%24%26' },
])('a job id stays one segment of the path: $id', ({ id, want }) => {
  expect(pathOf(routes.getJob, { id })).toBe(`/api/v1${want}`);
});

test('a query is escaped, and absent values are left out', () => {
  const query = { email: 'a+b&c=d@ü.example', skip: undefined, limit: 5 };
  expect(pathOf(routes.listJobs, { query })).toBe('/api/v1/bulk/jobs?email=a%2Bb%26c%3Dd%40%C3%BC.example&limit=5');
});

function failureOf(work: () => unknown) {
  try {
    work();
  } catch (error) {
    return asFailure(error);
  }
  throw new Error('It did not fail.');
}
