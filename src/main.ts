import type { OpenService } from './cli/context.js';
import { Failure } from './model/failure.js';

/** Runs the command line and gives its exit status. */
export async function main(args: readonly string[]): Promise<number> {
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
    process.stdout.write(`${__VERSION__}\n`);
    return 0;
  }
  const [{ runProgram }, { openProcess }] = await Promise.all([
    import('./cli/program.js'),
    import('./cli/open-process.js'),
  ]);
  const { terminal, environment, signal, close } = openProcess();
  try {
    return await runProgram(args, { terminal, environment, signal, openService });
  } finally {
    close();
  }
}

/** The one place that knows which back ends there are. */
const openService: OpenService = async (settings, options, { note: onNote, trace: onTrace }) => {
  if (settings.mode === 'local') {
    const { openLocalService } = await import('./service/local.js');
    return openLocalService({ ...settings, home: settings.dataDir, onNote });
  }
  const { baseUrl, apiKey } = settings;
  if (baseUrl === null || apiKey === null) {
    throw new Failure('key_missing', `There is no ${apiKey === null ? 'key' : 'base URL'} for the remote service.`, {
      hint: 'Run "mailvet login", or set MAILVET_API_KEY and MAILVET_BASE_URL; --local needs neither.',
    });
  }
  const { openRemoteService } = await import('./service/remote.js');
  return openRemoteService({
    ...settings,
    ...options,
    baseUrl,
    apiKey,
    concurrency: settings.concurrency ?? undefined,
    proxy: {
      https: settings.httpsProxy ?? undefined,
      http: settings.httpProxy ?? undefined,
      none: settings.noProxy ?? undefined,
    },
    onNote,
    onTrace,
  });
};
