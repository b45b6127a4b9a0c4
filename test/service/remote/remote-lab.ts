import { afterEach, beforeEach } from 'vitest';
import type { ListService } from '../../../src/lists/pipeline.js';
import { openRemoteService, type RemoteOptions } from '../../../src/service/remote/remote.js';
import { type FakeService, type FakeServiceOptions, startFakeService } from '../../fakes/fake-service.js';

/** A fake service for each test, and clients of it, which are closed at the end of the test. */
export function remoteLab(options: FakeServiceOptions = {}, defaults: () => Partial<RemoteOptions> = () => ({})) {
  const services: ListService[] = [];
  const lab = {
    fake: null as unknown as FakeService,
    async open(change: Partial<RemoteOptions> = {}): Promise<ListService> {
      const { url: baseUrl, apiKey } = lab.fake;
      const service = await openRemoteService({ baseUrl, apiKey, retries: 0, ...defaults(), ...change });
      services.push(service);
      return service;
    },
  };
  beforeEach(async () => {
    lab.fake = await startFakeService(options);
  });
  afterEach(async () => {
    await Promise.all(services.splice(0).map((service) => service.close()));
    await lab.fake.stop();
  });
  return lab;
}
