import { rmSync } from 'node:fs';
import { openHybridService } from '../../src/service/hybrid/hybrid.js';
import { openLocalService } from '../../src/service/local/local.js';
import { openRemoteService } from '../../src/service/remote/remote.js';
import { makeHome } from '../fakes/job-lab.js';
import { openServer } from '../server/run-server.js';
import { contract } from './validation-service.js';

const goodAddress = 'ada@python.org';

contract('Local', async () => {
  const home = makeHome();
  const service = await openLocalService({ home, level: 'syntax' });
  return { service, goodAddress, stop: async () => rmSync(home, { recursive: true, force: true }) };
});

contract('Hybrid: Local, then serve', async () => {
  const home = makeHome();
  const server = await openServer();
  const local = await openLocalService({ home, level: 'syntax' });
  const remote = await openRemoteService({ baseUrl: server.url, apiKey: server.key, retries: 0 });
  const service = openHybridService(local, remote, { level: 'syntax', sends: ['not_probed'], onNote: () => {} });
  const stop = async () => {
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  };
  return { service, goodAddress, stop };
});

for (const useGet of [false, true]) {
  contract(`Remote through serve to Local, single by ${useGet ? 'GET' : 'POST'}`, async () => {
    const server = await openServer();
    const service = await openRemoteService({ baseUrl: server.url, apiKey: server.key, useGet, retries: 0 });
    return { service, goodAddress, stop: server.stop };
  });
}
