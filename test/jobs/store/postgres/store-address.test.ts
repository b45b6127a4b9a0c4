import { expect, test } from 'vitest';
import { databaseFailure } from '../../../../src/jobs/store/postgres/database-failure.js';
import { parseStoreAddress } from '../../../../src/jobs/store/postgres/store-address.js';

const verified = { rejectUnauthorized: true };

test.each([
  {
    name: 'all of it',
    text: 'postgres://ann:p%40ss%2F@db.example.com:6432/vet?sslmode=require',
    want: {
      ...{ name: 'db.example.com:6432/vet', host: 'db.example.com', port: 6432, database: 'vet' },
      ...{ user: 'ann', password: 'p@ss/', ssl: { rejectUnauthorized: false } },
    },
  },
  { name: 'encrypted over a network', text: 'postgresql://db/vet', want: { port: 5432, ssl: verified } },
  { name: 'plain on this machine', text: 'postgres://127.0.0.1/vet', want: { ssl: false } },
  { name: 'IPv6', text: 'postgres://[2001:db8::5]/vet', want: { host: '2001:db8::5', ssl: verified } },
  {
    name: 'a socket',
    text: 'postgres://localhost/vet?host=/run/postgresql',
    want: { name: '/run/postgresql/vet', host: '/run/postgresql', ssl: false },
  },
])('an address of a store: $name', ({ text, want }) => {
  expect(parseStoreAddress(text)).toMatchObject(want);
});

test.each([
  { name: 'another scheme', text: 'mysql://ann:s3cret@db/vet', want: /^The store address is not valid\.$/ },
  { name: 'no database', text: 'postgres://ann:s3cret@db', want: /^The store address is not valid\.$/ },
  { name: 'no address at all', text: 'ann:s3cret', want: /^The store address is not valid\.$/ },
  {
    name: 'a percent sign that is not encoded',
    text: 'postgres://ann:s3cret%@db/vet',
    want: /^The store address is not valid\.$/,
  },
  {
    name: 'a port that does not exist',
    text: 'postgres://ann:s3cret@db/vet?port=99999',
    want: /^The store address is not valid\.$/,
  },
  {
    name: 'a mode that allows a downgrade to plain text',
    text: 'postgres://ann:s3cret@db/vet?sslmode=prefer',
    want: /support sslmode=prefer/,
  },
  { name: 'an unknown parameter', text: 'postgres://ann:s3cret@db/vet?pool=9', want: /^Unknown parameter "pool"/ },
  {
    name: 'a file that does not exist',
    text: 'postgres://ann:s3cret@db/vet?sslrootcert=/no/ca',
    want: /^Cannot read the sslrootcert file of the store: \/no\/ca/,
  },
])('an address with $name is refused without its password', ({ text, want }) => {
  const refused = (() => {
    try {
      return parseStoreAddress(text);
    } catch (error) {
      return error as { message: string; hint: string };
    }
  })();
  expect(refused).toMatchObject({ code: 'usage', message: expect.stringMatching(want) });
  expect(JSON.stringify(refused)).not.toContain('s3cret');
});

test.each([
  { error: { code: '28P01', message: 'password authentication failed' }, want: 'refused the user or the password' },
  { error: { code: '53100', message: 'could not extend file' }, want: 'has no space left' },
  { error: { code: '25006', message: 'cannot execute INSERT' }, want: 'is read-only' },
  { error: { code: 'ECONNREFUSED', message: 'connect' }, want: 'cannot be reached (nothing listens there)' },
  { error: { code: '22003', message: 'integer out of range' }, want: 'refused: integer out of range' },
])('$error.code says: $want', ({ error, want }) => {
  const failure = databaseFailure(Object.assign(new Error(error.message), error), 'db:5432/vet');
  expect(failure).toMatchObject({ code: 'storage', message: `The database db:5432/vet ${want}.` });
});
