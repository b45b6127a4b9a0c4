import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { aptGet } from '../fakes/apt-get.js';

declare module 'vitest' {
  interface ProvidedContext {
    chromium: string;
  }
}

/** Finds Chromium once for all files. On Debian, as root, installs it if it is missing. */
export default function setup(project: TestProject): void {
  const found = findChromium() ?? (installChromium() ? findChromium() : null);
  if (found === null) {
    throw new Error(
      'There is no Chromium, and it cannot be installed here. Install it (on Debian: apt-get install chromium), ' +
        'or name one with CHROMIUM=/path/to/chromium.',
    );
  }
  project.provide('chromium', found);
}

function findChromium(): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  const places = [
    process.env['CHROMIUM'] ?? '',
    ...folders.flatMap((folder) => names.map((name) => join(folder, name))),
  ];
  return places.find((path) => path !== '' && isProgram(path)) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function installChromium(): boolean {
  if (process.getuid?.() !== 0 || !isProgram('/usr/bin/apt-get')) return false;
  console.error('Installing Chromium with apt-get…');
  try {
    aptGet(['update'], { timeout: 300_000 });
    aptGet(['install', '-y', '--no-install-recommends', 'chromium'], { timeout: 300_000 });
    return true;
  } catch (error) {
    console.error(String(error));
    return false;
  }
}
