import type { CallOptions, FileReading } from '../model/service.js';
import { openUpload } from '../rows/open-rows.js';
import { createHashSet } from './dedupe/hash-set.js';
import { keyOfAddress } from './dedupe/mailbox-key.js';

export interface FilePlan {
  rows: number;
  unique: number;
  domains: number;
}

interface PlanFileOptions extends CallOptions {
  /** Counted from 0. */
  columns: readonly number[];
  /** The name of the first of them. */
  column: string;
  reading: FileReading;
}

/** Reads the whole file once, without network traffic. */
export async function planFile(path: string, options: PlanFileOptions): Promise<FilePlan> {
  const { columns, column, reading, signal } = options;
  const source = await openUpload(path, { ...reading, column, columns, filename: path, ...(signal && { signal }) });
  const mailboxes = createHashSet();
  const domains = createHashSet();
  const plan: FilePlan = { rows: 0, unique: 0, domains: 0 };
  for await (const chunk of source.chunks) {
    for (const { email, part } of chunk) {
      if (part === undefined || part.index === 0) plan.rows++;
      const key = email === '' ? '' : keyOfAddress(email);
      if (key === '' || !mailboxes.add(key)) continue;
      plan.unique++;
      const separator = key.lastIndexOf('@');
      if (separator !== -1 && domains.add(key.slice(separator + 1))) plan.domains++;
    }
  }
  return plan;
}
