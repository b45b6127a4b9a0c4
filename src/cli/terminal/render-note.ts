import { hangSentence } from '../render/style/text-layout.js';
import { sanitize } from './sanitize.js';

/** A line for stderr: `note: …`, wrapped to the columns of a terminal, or one line of JSON. */
export function renderNote(
  label: 'note' | 'warning' | 'trace',
  text: string,
  { json = false, columns }: { json?: boolean; columns?: number },
): string {
  if (json) return `${JSON.stringify({ [label]: { message: text } })}\n`;
  const prefix = `${label}: `;
  const safe = sanitize(text);
  return columns === undefined ? `${prefix}${safe}\n` : hangSentence(prefix, prefix.length, safe, columns);
}
