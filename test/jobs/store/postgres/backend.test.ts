import { describe, expect, test } from 'vitest';
import { translate } from '../../../../src/jobs/store/postgres/backend.js';

describe('a statement of the shared dialect, for PostgreSQL', () => {
  test.each([
    {
      name: 'numbers its values and names the schema of its tables',
      text: 'SELECT a FROM jobs JOIN chunks ON x = ? WHERE y = ?',
      want: 'SELECT a FROM mailvet.jobs JOIN mailvet.chunks ON x = $1 WHERE y = $2',
    },
    {
      name: 'keeps what already has a schema',
      text: 'SELECT id FROM jobs WHERE node IN (SELECT id FROM mailvet.workers)',
      want: 'SELECT id FROM mailvet.jobs WHERE node IN (SELECT id FROM mailvet.workers)',
    },
    {
      name: 'reads a list by the function of PostgreSQL',
      text: 'INSERT INTO cache SELECT value ->> 0, ? FROM json_each(?) WHERE TRUE ON CONFLICT (key) DO UPDATE SET a = 1',
      want: 'INSERT INTO mailvet.cache SELECT value ->> 0, $1 FROM json_array_elements($2::json) WHERE TRUE ON CONFLICT (key) DO UPDATE SET a = 1',
    },
    { name: 'updates a table of the schema', text: 'UPDATE keys SET a = ?', want: 'UPDATE mailvet.keys SET a = $1' },
  ])('$name', ({ text, want }) => {
    expect(translate(text)).toBe(want);
  });
});
