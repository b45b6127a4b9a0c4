import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEngine } from '../../src/service/create-engine.js';
import { type FakeService, startFakeService } from '../fakes/fake-service.js';

let fake: FakeService;
beforeEach(async () => {
  fake = await startFakeService();
});
afterEach(() => fake.stop());

test('an engine with a fallback asks the service for what it cannot settle, and for nothing else', async () => {
  const fallback = { baseUrl: fake.url, apiKey: fake.apiKey };
  // No DNS server answers there.
  const engine = createEngine({ resolvers: ['127.0.0.1:1'], timeoutMs: 5_000, fallback });
  try {
    const found: string[] = [];
    for await (const answers of engine.validateMany(['ada@mailvet-lab.com', 'no address'], { level: 'smtp' })) {
      for (const { result } of answers) found.push(`${result.email} ${result.status}`);
    }
    expect(found).toEqual(['ada@mailvet-lab.com valid', 'no address invalid']);
    expect((await engine.validate('ada..b@mailvet-lab.com')).status).toBe('invalid');
    const sent = fake.seen.map(({ body }) => body.toString()).join('\n');
    expect(sent).toContain('ada@mailvet-lab.com');
    expect(sent).not.toMatch(/no address|ada\.\.b/);
  } finally {
    await engine.close();
  }
});

test('a level that does not exist is an error, not a deeper check', async () => {
  const engine = createEngine({ level: 'dns', resolvers: ['127.0.0.1:1'] });
  const level = 'sintax' as 'syntax';
  try {
    const refused = { code: 'usage', message: 'There is no level "sintax".' };
    await expect(engine.validate('ada@mailvet-lab.com', { level })).rejects.toMatchObject(refused);
    await expect(
      engine.validateMany(['ada@mailvet-lab.com'], { level })[Symbol.asyncIterator]().next(),
    ).rejects.toMatchObject(refused);
  } finally {
    await engine.close();
  }
});

test.each([{}, { baseUrl: 'http://localhost' }, { apiKey: 'k' }])(
  'a fallback needs both an address and a key: %j',
  (fallback) => {
    expect(() => createEngine({ fallback: fallback as never })).toThrow(/option fallback/);
  },
);
