// Several instances of a cluster in one process, for bench/cluster-nodes.mjs. Each has its own connections, heartbeat and dispatch.
import { randomUUID } from 'node:crypto';
import { openDispatch } from '../src/jobs/dispatch/open-dispatch.js';
import { openPostgres } from '../src/jobs/store/postgres/postgres-store.js';
import type { ProbeAnswer, ProbeRequest, Prober } from '../src/net/probe/prober.js';

interface InstanceOptions {
  address: string;
  /** The number of the first instance. Even numbers are workers. */
  first: number;
  count: number;
  hosts: number;
  /** The number of open probes of a node. */
  open: number;
}

const answerMs = 20;
const singleEveryMs = 1_000;
const options = JSON.parse(process.argv[2] ?? '{}') as InstanceOptions;
const answer: ProbeAnswer = {
  mailbox: {
    ...{ outcome: { state: 'passed', detail: null }, host: 'mx', ip: '192.0.2.1', reply: null },
    ...{ rule: null, certainty: 0.9, retryAt: null, dialogue: [] },
  },
  catchAll: { outcome: 'not_run', source: null, reply: null },
};
const prober: Prober = {
  probe: () => new Promise((resolve) => setTimeout(() => resolve(answer), answerMs)),
  close: async () => {},
};
const noWorkers: Prober = { probe: () => Promise.reject(new Error('There is no worker.')), close: async () => {} };

let isLoaded = false;
let answered = 0;
let latencies: number[] = [];

async function openInstance(number: number) {
  const kind = number % 2 === 0 ? 'worker' : 'node';
  const { store, cluster } = await openPostgres(options.address, {
    processInfo: { kind, name: `m${number}` },
    maxConnections: 4,
  });
  const dispatch = await openDispatch({ cluster, redis: null, isLarge: () => false, onNote: () => {} });
  const stopWork = kind === 'worker' ? dispatch.work(prober, 100, () => {}) : async () => {};
  const job = dispatch.proberFor({ id: `job-${number}`, priority: 'job', withinMs: null }, noWorkers);
  const ask = async (): Promise<void> => {
    while (isLoaded) {
      await job.probe(requestTo(Math.floor(Math.random() * options.hosts)));
      answered++;
    }
  };
  /** Deletes answered probes, as a commit of results does. */
  const deleteAnswered = async (): Promise<void> => {
    const statement =
      'DELETE FROM mailvet.probes WHERE asker = $1 AND answer IS NOT NULL AND created_at < mailvet.now_ms() - 2000';
    while (isLoaded) {
      await sleep(1_000);
      await cluster.database.writeRepeatable((sql) => sql.run(statement, `job-${number}`));
    }
  };
  const askSingle = async (): Promise<void> => {
    while (isLoaded) {
      const single = dispatch.proberFor({ id: randomUUID(), priority: 'single', withinMs: 10_000 }, noWorkers);
      const startedAt = performance.now();
      const isAnswered = await single.probe(requestTo(Math.floor(Math.random() * options.hosts))).then(
        () => true,
        () => false,
      );
      latencies.push(isAnswered ? performance.now() - startedAt : 10_000);
      await sleep(singleEveryMs);
    }
  };
  return {
    load: () => {
      if (kind !== 'node') return;
      for (let index = 0; index < options.open; index++) ask().catch(report);
      deleteAnswered().catch(report);
      askSingle().catch(report);
    },
    close: async () => {
      await stopWork();
      await dispatch.close();
      await store.close();
    },
  };
}

function requestTo(host: number): ProbeRequest {
  const [domain, localPart] = [`host${host}.example`, randomUUID()];
  return {
    address: {
      ...{ localPart, domain, displayDomain: domain, literal: null, tag: null },
      ...{ canonical: `${localPart}@${domain}`, needsSmtpUtf8: false },
    },
    route: {
      hosts: [{ name: domain, preference: 10, addresses: [`10.1.${host >> 8}.${host & 255}`] }],
      implicit: false,
    },
    provider: null,
  };
}

function report(error: unknown): void {
  if (isLoaded) console.error(error);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

let instances: Awaited<ReturnType<typeof openInstance>>[] = [];
const commands: Record<string, () => Promise<unknown>> = {
  open: async () => {
    instances = await Promise.all(
      Array.from({ length: options.count }, (_, index) => openInstance(options.first + index)),
    );
  },
  load: async () => {
    // Wait until nodes have seen the workers.
    await sleep(3_000);
    isLoaded = true;
    for (const instance of instances) instance.load();
  },
  reset: async () => {
    answered = 0;
    latencies = [];
  },
  report: async () => ({ answered, latencies }),
  idle: async () => {
    isLoaded = false;
  },
  close: async () => {
    await Promise.all(instances.map((instance) => instance.close()));
  },
};
process.on('message', async (command: string) => {
  const result = await commands[command]?.();
  process.send?.(result ?? {});
  if (command === 'close') process.disconnect();
});
