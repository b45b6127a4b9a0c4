import { hostname } from 'node:os';
import { join } from 'node:path';
import type {
  CheckServer,
  OpenService,
  Runtime,
  ServeOptions,
  ServiceHooks,
  ServiceOptions,
  StartServer,
} from './cli/context.js';
import { runProgram } from './cli/program.js';
import { openProcess } from './cli/terminal/open-process.js';
import { keyOfAddress } from './lists/mailbox-key.js';
import { asFailure, Failure } from './model/failure.js';
import type { LogLevel } from './server/observe/log.js';
import type { WebOptions } from './server/web/web-context.js';
import { type LocalOptions, openLocalParts, openLocalService } from './service/local/local.js';
import type { RemoteOptions } from './service/remote/remote.js';
import { defaultMaxCredits } from './settings/definitions.js';
import type { Settings } from './settings/resolve.js';
import { readQueueAddress, readStoreAddress } from './settings/secrets.js';

/** Runs the command line and returns its exit status. */
export async function main(args: readonly string[]): Promise<number> {
  const { close, ...runtime } = openProcess();
  try {
    return await runProgram(args, { ...runtime, openService, startServer, checkServer, openKeys, runWorker });
  } finally {
    close();
  }
}

const openService: OpenService = async (settings, options, hooks) => {
  const local = localOptions(settings, hooks);
  if (settings.mode === 'local') return openLocalService(local);
  const remote = remoteOptions(settings, options, hooks);
  const { openRemoteService } = await import('./service/remote/remote.js');
  if (settings.mode === 'remote') return openRemoteService(remote);
  const { hybridAsker, openHybridService } = await import('./service/hybrid/hybrid.js');
  const service = await openRemoteService({ ...remote, maxCredits: remote.maxCredits ?? defaultMaxCredits });
  const hybrid = { level: settings.level, sends: settings.hybridSends, onNote: hooks.onNote };
  const engine = await openLocalService({ ...local, withFallback: (asker) => hybridAsker(asker, service, hybrid) });
  return openHybridService(engine, service, hybrid);
};

/** Serves the local back end in either mode: `mode` is for the client commands. */
const startServer: StartServer = async (settings, { adminPassword, log, signal, tls }, hooks) => {
  const server = await import('./server/server.js');
  const processInfo = { kind: 'node' } as const;
  const exclude = settings.serveExclude;
  const local = await openLocalParts({ ...localOptions(settings, hooks), processInfo, signal, exclude });
  const { validation, jobs, queueCounts, proberStats, reportExceptions } = local;
  try {
    if (adminPassword !== null) {
      const { ensureAdminPassword } = await import('./service/local/keys.js');
      await ensureAdminPassword(await jobs.store(), adminPassword.text);
    }
    const running = await server.startServer({
      tls,
      host: settings.serveHost,
      port: settings.servePort,
      drainMs: settings.serveDrainMs,
      runsJobs: settings.serveJobs,
      edge: {
        publicUrls: settings.servePublicUrls,
        trustedProxies: settings.serveTrustedProxies,
        userHeader: settings.serveUserHeader,
      },
      webhookNetworks: settings.serveWebhookNetworks,
      limits: {
        rows: settings.serveMaxRows,
        fileBytes: settings.serveMaxFileSize * 1024 * 1024,
        requestsPerSecond: settings.serveRateLimit,
        connections: settings.serveMaxConnections,
      },
      web: settings.serveWeb ? webOptions(settings, adminPassword) : null,
      validation,
      jobs,
      queueCounts,
      proberStats,
      reportExceptions,
      canonical: keyOfAddress,
      incoming: join(settings.dataDir, 'incoming'),
      log: { ...log, level: log.level as LogLevel },
    });
    let stopping: Promise<void> | null = null;
    return {
      ...running,
      stop: () => {
        // Without its database a server ends all the same: what it leaves is taken over as after a crash.
        const noteFailure = (thrown: unknown) =>
          hooks.onNote(`The server left work undone. ${asFailure(thrown).message}`);
        stopping ??= running
          .stop()
          .catch(noteFailure)
          .then(() => local.close().catch(noteFailure));
        return stopping;
      },
    };
  } catch (error) {
    await local.close();
    throw error;
  }
};

const checkServer: CheckServer = async (address) => {
  const { checkReady } = await import('./server/check-ready.js');
  await checkReady(address);
};

/** The build puts the web application next to the program. */
const pagesFolder = join(import.meta.dirname, 'web');

function webOptions(settings: Settings, adminPassword: ServeOptions['adminPassword']): WebOptions {
  const { level, dataDir: home } = settings;
  const store = readStoreAddress(settings.store);
  return {
    level,
    ...(adminPassword !== null && { passwordSource: adminPassword.source }),
    folder: pagesFolder,
    keepJobsMs: settings.keepJobsMs,
    diagnose: async function* ({ dial, signal }) {
      const { diagnose } = await import('./service/diagnosis/diagnosis.js');
      yield* diagnose({
        ...settings,
        ...{ home, store, signal, settings: null, remote: null },
        ...{ probes: dial ? [] : null, blockLists: dial && settings.blockLists },
        timeoutMs: settings.timeoutMs ?? defaultDiagnosisTimeoutMs,
      });
    },
  };
}

const defaultDiagnosisTimeoutMs = 5_000;

const runWorker: Runtime['runWorker'] = async (settings, { name, check, signal, onError, onReady }, hooks) => {
  const { sourceIp, dataDir, store } = settings;
  if (check) {
    const { checkWorker } = await import('./service/local/store-tools.js');
    return checkWorker(dataDir, readStoreAddress(store), name ?? defaultWorkerName(sourceIp));
  }
  const { runWorker } = await import('./server/worker.js');
  const processInfo = { kind: 'worker', name: name ?? defaultWorkerName(sourceIp), sourceIp } as const;
  const local = await openLocalParts({ ...localOptions(settings, hooks), processInfo, signal });
  const { jobs, answerNodes, close } = local;
  local.reportExceptions(onError);
  try {
    await jobs.store();
    onReady(processInfo.name);
    await runWorker({ jobs, answerNodes, signal, onError });
  } finally {
    await close();
  }
};

/** Stable across restarts if there is a source address. */
function defaultWorkerName(sourceIp: string | null): string {
  return `${hostname()}-${sourceIp ?? process.pid}`;
}

const openKeys: Runtime['openKeys'] = async ({ dataDir, store }) => {
  const { openApiKeys } = await import('./service/local/keys.js');
  return openApiKeys({ home: dataDir, address: readStoreAddress(store) });
};

function localOptions(settings: Settings, { onNote }: ServiceHooks): LocalOptions {
  const { timeoutMs, dataDir: home, store, queue, ...rest } = settings;
  const stores = { home, store: readStoreAddress(store), queue: readQueueAddress(queue) };
  return { ...rest, ...stores, onNote, listsFolder: join(home, 'lists'), ...(timeoutMs !== null && { timeoutMs }) };
}

function remoteOptions(settings: Settings, options: ServiceOptions, hooks: ServiceHooks): RemoteOptions {
  const { baseUrl, apiKey } = settings;
  if (baseUrl === null) {
    throw new Failure('usage', 'The address of the remote service is not known.', {
      hint: 'Give it with --base-url, MAILVET_BASE_URL or mailvet login. Or use --local.',
    });
  }
  if (apiKey === null) {
    throw new Failure('key_missing', 'There is no key for the remote service.', {
      hint: 'Store one with mailvet login, or set MAILVET_API_KEY. Or use --local.',
    });
  }
  return {
    ...options,
    ...hooks,
    maxCredits: options.maxCredits ?? settings.maxCredits ?? undefined,
    baseUrl,
    apiKey,
    timeoutMs: settings.timeoutMs ?? undefined,
    retries: settings.retries,
    concurrency: settings.concurrency ?? undefined,
    allowHttp: settings.allowHttp,
    level: settings.level,
    proxy: {
      https: settings.httpsProxy ?? undefined,
      http: settings.httpProxy ?? undefined,
      none: settings.noProxy ?? undefined,
    },
  };
}
