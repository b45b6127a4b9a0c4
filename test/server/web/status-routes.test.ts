import { expect, test } from 'vitest';
import { createDiagnosisCache } from '../../../src/server/web/status-routes.js';

const tick = () => new Promise((resolve) => setImmediate(resolve));

test('a quick diagnosis that ends later does not replace a complete one', async () => {
  const ends: Record<string, () => void> = {};
  const errors: unknown[] = [];
  const diagnose = createDiagnosisCache({
    log: { error: (error: unknown) => void errors.push(error) },
    web: {
      diagnose: async function* ({ dial }: { dial: boolean }) {
        await new Promise<void>((resolve) => {
          ends[String(dial)] = resolve;
        });
        yield* [];
      },
    },
  } as unknown as Parameters<typeof createDiagnosisCache>[0]);
  const quick = diagnose(false);
  const complete = diagnose(true);
  await tick();
  ends['true']?.();
  expect((await complete).complete).toBe(true);
  ends['false']?.();
  await quick;
  expect((await diagnose(false)).complete).toBe(true);
  expect(errors).toEqual([]);
});

test('a failure is logged once, however many requests wait for it', async () => {
  const errors: unknown[] = [];
  const diagnose = createDiagnosisCache({
    log: { error: (error: unknown) => void errors.push(error) },
    web: {
      // biome-ignore lint/correctness/useYield: it fails at once
      diagnose: async function* () {
        throw new Error('broken');
      },
    },
  } as unknown as Parameters<typeof createDiagnosisCache>[0]);
  await Promise.allSettled([diagnose(false), diagnose(false), diagnose(false)]);
  expect(errors).toHaveLength(1);
});
