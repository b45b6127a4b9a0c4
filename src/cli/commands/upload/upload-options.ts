import type { FileReading } from '../../../model/service.js';
import type { RunOptions } from '../../flags/list-flags.js';
import type { OutputOptions } from '../../flags/output-flags.js';

/** The options of `upload`. */
export interface UploadOptions {
  path: string;
  column: string | undefined;
  reading: FileReading;
  yes: boolean;
  wait: boolean;
  output: OutputOptions;
  /** Write the rows, not the job. */
  writesRows: boolean;
  run: RunOptions;
}

/** All rows, as `jobs results` writes them without flags. */
export function targetsOf({ output, path }: UploadOptions) {
  return {
    output,
    list: path,
    review: { summary: undefined, clean: false, dedupe: false },
    guards: { failOn: new Set<string>(), maxUnknown: null },
  };
}

/** The flags with which `jobs results` writes them later. */
export function resultFlagsOf({ output: { path } }: UploadOptions): string[] {
  return path === null ? [] : ['-o', path];
}
