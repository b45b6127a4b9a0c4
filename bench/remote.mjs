// 50,000 addresses sent to a fake service on loopback, compared with a bare undici loop that sends the same bodies.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { Agent } from 'undici';
import { interleave, milliseconds, report } from './measure.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const count = 50_000;
const requests = count / 1_000;
const concurrency = 4;

if (process.argv[2] === 'serve') await serve(process.argv[3]);
else await measure();

/** The fake runs in another process, so that only the client is measured. */
async function serve(bundle) {
  const { startFakeService } = await import(pathToFileURL(bundle).href);
  const fake = await startFakeService();
  fake.seen.push = () => 0;
  process.send({ url: fake.url, apiKey: fake.apiKey });
  process.on('disconnect', () => fake.stop());
}

async function measure() {
  const folder = mkdtempSync(join(tmpdir(), 'mailvet-bench-'));
  await build({
    absWorkingDir: root,
    entryPoints: { remote: 'src/service/remote/remote.ts', fake: 'test/fakes/fake-service.ts' },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    define: { __VERSION__: '"0"' },
    banner: { js: "import { createRequire as r } from 'node:module'; const require = r(import.meta.url);" },
  });
  const server = fork(fileURLToPath(import.meta.url), ['serve', join(folder, 'fake.mjs')]);
  const [fake] = await once(server, 'message');
  const { openRemoteService } = await import(pathToFileURL(join(folder, 'remote.mjs')).href);
  try {
    const emails = Array.from({ length: count }, (_, index) => `user.${index}@site-${index % 97}.example`);
    const contenders = {
      ours: () => milliseconds(() => validateByClient(openRemoteService, fake, emails)),
      bare: () => milliseconds(() => validateByUndici(fake, emails)),
    };
    await interleave(contenders, 2);
    const times = await interleave(contenders, 9);
    report({
      bench: 'remote',
      what: `${count.toLocaleString('en-US')} addresses in ${requests} requests, ${concurrency} at a time`,
      ours: (count / times.ours) * 1_000,
      peer: (count / times.bare) * 1_000,
      peerName: 'bare undici loop',
      unit: 'addresses/s',
      ratio: times.bare / times.ours,
      goal: '>= 0.7',
    });
    await measureMemory(openRemoteService, fake);
  } finally {
    server.disconnect();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function validateByClient(openRemoteService, { url, apiKey }, emails) {
  const service = await openRemoteService({ baseUrl: url, apiKey, concurrency });
  let answered = 0;
  for await (const answers of service.validateMany([emails])) answered += answers.length;
  await service.close();
  if (answered !== emails.length) throw new Error(`${answered} answers`);
}

/** The simplest client: sends the same bodies, four at a time, then parses and counts the answers. */
async function validateByUndici({ url, apiKey }, emails) {
  const agent = new Agent({ connections: concurrency });
  let next = 0;
  let answered = 0;
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const work = async () => {
    while (next < emails.length) {
      const body = JSON.stringify({ emails: emails.slice(next, next + 1_000) });
      next += 1_000;
      const answer = await agent.request({
        origin: url,
        path: '/api/v1/validation/bulk',
        method: 'POST',
        headers,
        body,
      });
      answered += (await answer.body.json()).results.length;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  await agent.close();
  if (answered !== emails.length) throw new Error(`${answered} answers`);
}

/** Compares the peak memory of the last fifth of a long list with that of the first. */
async function measureMemory(openRemoteService, { url, apiKey }) {
  const total = 500_000;
  const service = await openRemoteService({ baseUrl: url, apiKey, concurrency });
  function* batches() {
    for (let first = 0; first < total; first += 1_000) {
      yield Array.from({ length: 1_000 }, (_, index) => `user.${first + index}@site-${index % 97}.example`);
    }
  }
  const peaks = [0, 0, 0, 0, 0];
  let answered = 0;
  for await (const answers of service.validateMany(batches())) {
    answered += answers.length;
    const fifth = Math.min(4, Math.floor((answered / total) * 5));
    peaks[fifth] = Math.max(peaks[fifth], process.memoryUsage().rss);
  }
  await service.close();
  report({
    bench: 'remote',
    what: `memory over ${total.toLocaleString('en-US')} unique addresses, last fifth`,
    ours: peaks[4] / 1e6,
    peer: peaks[0] / 1e6,
    peerName: 'first fifth',
    unit: 'MB',
    ratio: peaks[4] / peaks[0],
    goal: '<= 1.3',
  });
}
