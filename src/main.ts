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
const openService: OpenService = async (settings) => {
  throw new Failure('unsupported', `There is no ${settings.mode} back end in this build.`);
};
