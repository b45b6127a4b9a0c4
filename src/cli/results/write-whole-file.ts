import { Failure } from '../../model/failure.js';
import type { Context } from '../context.js';
import { openFileSink } from '../terminal/file-sink.js';
import { writeThrough } from './output.js';

/** Writes a file beside the rows, which are in their place by then; it appears only once it is whole. `flag` asked for it. */
export async function writeWholeFile(context: Context, flag: string, path: string, text: string): Promise<void> {
  try {
    const file = await openFileSink(path);
    await writeThrough(context, file, () => file.sink.write(text));
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown.code !== 'storage') throw thrown;
    throw new Failure('storage', thrown.message, {
      hint: `Free some space, or give ${flag} another file. Everything else was written.`,
      cause: thrown,
    });
  }
}
