import { openRemoteService } from '../../src/service/remote/remote.js';
import { startFakeService } from '../fakes/fake-service.js';
import { contract } from './validation-service.js';

for (const useGet of [false, true]) {
  contract(`Remote over a service that speaks the interface, single by ${useGet ? 'GET' : 'POST'}`, async () => {
    const fake = await startFakeService({ hasResults: true });
    const service = await openRemoteService({ baseUrl: fake.url, apiKey: fake.apiKey, useGet, retries: 0 });
    return { service, stop: fake.stop, goodAddress: 'ada@site.example' };
  });
}
