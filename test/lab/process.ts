import type { ChildProcess } from 'node:child_process';

/** Ends a child by its pid, gently first, and waits until it is gone. */
export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await exited;
  clearTimeout(force);
}

/** Waits for servers that were started. If they do not come up, stops them, so that their ports are free. */
export async function readyOrStopped(ready: Promise<unknown>, stop: () => Promise<unknown>): Promise<void> {
  try {
    await ready;
  } catch (error) {
    await stop();
    throw error;
  }
}
