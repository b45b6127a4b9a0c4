import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { bareEnvironment } from '../../e2e/run-binary.js';
import { startProgram } from '../node.js';

/** A worker with its own name and address, which is restarted whenever it was killed. */
export interface Worker {
  name: string;
  source: string;
  kill(): void;
  /** Suspends the process for this time, or until it is killed, like a machine that sleeps. */
  freeze(ms: number): Promise<void>;
  stop(): Promise<number | null>;
  /** Its stderr so far. */
  log(): string;
}

/** Starts worker `number`, from 1. */
export function startWorker(
  number: number,
  store: string,
  flags: readonly string[],
  variables: Record<string, string> = {},
): Worker {
  const [name, source] = [`w${number}`, `127.0.0.${number + 1}`];
  const env = bareEnvironment({ MAILVET_STORE: store, ...variables });
  let log = '';
  let stopping = false;
  let ended: Promise<number | null> = Promise.resolve(null);
  let child: ChildProcessWithoutNullStreams;
  const start = (): void => {
    child = startProgram(['worker', '--name', name, '--set', `source_ip=${source}`, ...flags], env);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    ended = new Promise((resolve) =>
      child.once('exit', (status, signal) => {
        log += `-- ended with ${status ?? signal}\n`;
        if (!stopping) start();
        resolve(status);
      }),
    );
  };
  start();
  return {
    ...{ name, source, log: () => log },
    kill: () => void child.kill('SIGKILL'),
    freeze: async (ms) => {
      const stopped = child;
      stopped.kill('SIGSTOP');
      let timer: NodeJS.Timeout | undefined;
      const enough = new Promise((resolve) => {
        timer = setTimeout(resolve, ms);
      });
      await Promise.race([enough, ended]);
      clearTimeout(timer);
      stopped.kill('SIGCONT');
    },
    stop: () => {
      stopping = true;
      child.kill('SIGTERM');
      return ended;
    },
  };
}
