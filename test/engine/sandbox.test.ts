import { describe, expect, test } from 'vitest';
import { encodeResult } from '../../src/engine/encode-result.js';
import { openEngine } from '../../src/engine/engine.js';
import { parseAddress } from '../../src/engine/grammar/parse-address.js';
import { isSandboxAddress, isTestKey } from '../../src/model/sandbox.js';
import { statusOf } from '../../src/model/verdict.js';

const engine = await openEngine({ level: 'syntax' });
const vetNow = (email: string) => engine.vetter()(email, parseAddress(email));
const names = Object.keys(statusOf).filter((name) => name !== '' && name !== 'alias_address');

test.each(names.map((subStatus) => ({ subStatus, name: subStatus.replaceAll('_', '-') })))(
  '$name@sandbox.mailvet.test is $subStatus',
  async ({ subStatus, name }) => {
    const result = encodeResult(await vetNow(`${name}@sandbox.mailvet.test`), 'local');
    expect(result).toMatchObject({ status: statusOf[subStatus as keyof typeof statusOf], sub_status: subStatus });
    expect(result).not.toHaveProperty('retry_at');
  },
);

test.each([
  ['valid@sandbox.mailvet.test', ''],
  ['VALID@Sandbox.Mailvet.Test', ''],
  ['valid+7@sandbox.mailvet.test', 'alias_address'],
  ['catch-all+7@sandbox.mailvet.test', 'catch_all'],
  ['slow-1ms@sandbox.mailvet.test', ''],
  ['nonsense@sandbox.mailvet.test', 'reserved_domain'],
  ['constructor@sandbox.mailvet.test', 'reserved_domain'],
  ['valid@x.sandbox.mailvet.test', 'reserved_domain'],
])('%s has the sub-status %j', async (email, subStatus) => {
  expect((await vetNow(email)).verdict.subStatus).toBe(subStatus);
});

test('a valid address is safe to send, as if a mail server had accepted it', async () => {
  expect(encodeResult(await vetNow('valid@sandbox.mailvet.test'), 'local')).toMatchObject({
    safe_to_send: true,
    is_valid: true,
    details: { dns_valid: true, smtp_valid: true, smtp_code: 250, domain: 'sandbox.mailvet.test' },
    catchall: { is_catchall: false },
  });
});

test('a slow check can be canceled', async () => {
  const controller = new AbortController();
  const vet = engine.vetter({ caller: { priority: 'single', owner: '', taskId: '', signal: controller.signal } });
  const slow = vet('slow-60s@sandbox.mailvet.test', parseAddress('slow-60s@sandbox.mailvet.test'));
  controller.abort(new Error('enough'));
  await expect(slow).rejects.toThrow('enough');
});

describe('names', () => {
  test.each([
    ['valid@sandbox.mailvet.test', true],
    [' Valid@SANDBOX.mailvet.test ', true],
    ['valid@notsandbox.mailvet.test', false],
    ['sandbox.mailvet.test', false],
  ])('%j is an address of the sandbox: %s', (email, want) => expect(isSandboxAddress(email)).toBe(want));

  test('a test key is recognized by its prefix', () => {
    expect([isTestKey({ prefix: 'mv_test_Ab' }), isTestKey({ prefix: 'mv_testing' })]).toEqual([true, false]);
  });
});
