import { Failure } from '../../../model/failure.js';
import type { BulkAnswer } from '../../../model/result.js';
import type { Context } from '../../context.js';
import type { OutputWishes } from '../../flags/output-flags.js';
import { type Output, openOutput } from '../../terminal/output.js';

/** An output, and which answers go there; null for all. */
export interface Pen {
  output: Output;
  wants: ((answer: BulkAnswer) => boolean) | null;
}

const sorted: Record<'clean' | 'review' | 'rejected', (answer: BulkAnswer) => boolean> = {
  clean: ({ result }) => result.status === 'valid',
  review: ({ result }) => result.status !== 'valid' && result.status !== 'invalid',
  rejected: ({ result }) => result.status === 'invalid',
};

/** The output asked for, and with `--clean` the three that the rows are sorted into. */
export async function openPens(
  context: Context,
  wishes: OutputWishes,
  clean: { of: string | null } | null,
): Promise<Pen[]> {
  const { only } = wishes;
  const wants = only === null ? null : ({ result }: BulkAnswer) => only.has(result.status);
  const main = async (): Promise<Pen> => ({ output: await openOutput(context, wishes, 'ndjson'), wants });
  if (clean === null) return [await main()];
  const name = (wishes.path ?? clean.of)?.replace(/\.[^./\\]+$/, '');
  if (name === undefined) {
    throw new Failure('usage', '--clean needs a name for its files.', { hint: 'Add -o FILE, or name a list.' });
  }
  const pens = wishes.path === null ? [] : [await main()];
  for (const [kind, belongs] of Object.entries(sorted)) {
    const file = { path: `${name}.${kind}.csv`, format: 'csv' as const, only: null, fields: wishes.fields };
    pens.push({ output: await openOutput(context, file, 'csv'), wants: belongs });
  }
  return pens;
}

/** All of them put in place, or kept aside, together. */
export function together(pens: readonly Pen[]): Pick<Output, 'finish' | 'abandon'> {
  return {
    finish: async () => {
      for (const { output } of pens) await output.finish();
    },
    abandon: async (ending) => {
      const kept: string[] = [];
      for (const { output } of pens) {
        const path = await output.abandon(ending);
        if (path !== null) kept.push(path);
      }
      return kept.length === 0 ? null : kept.join(', ');
    },
  };
}
