import type { ConfirmOptions } from '../../jobs/uploads/confirm-upload.js';
import type { ConfirmUploadOptions } from '../../model/service.js';

/** No time limit on reuse; JSON has no infinity. */
const anyAgeMs = Number.MAX_SAFE_INTEGER;

/** What is kept with a job that is vetted at that level as wished. */
export function confirmOptions(level: string, wishes: ConfirmUploadOptions): ConfirmOptions {
  const maxAgeMs = wishes.maxAgeMs ?? (wishes.onlyUnknown ? anyAgeMs : undefined);
  const options: Record<string, unknown> = { cacheScope: level, settings: wishes.settings ?? {} };
  if (maxAgeMs !== undefined) options['maxAgeMs'] = maxAgeMs;
  if (wishes.onlyUnknown) options['reuseUnknown'] = false;
  const { signal, columns, onRead } = wishes;
  return { options, ...(signal && { signal }), ...(columns && { columns }), ...(onRead && { onRead }) };
}
