import { readFileSync } from 'node:fs';

/** A configuration in `test/lab/config`, with each `<<name>>` replaced by its value. */
export function readConfig(file: string, values: Record<string, string | number>): string {
  const text = readFileSync(new URL(`config/${file}`, import.meta.url), 'utf8');
  return text.replace(/<<(\w+)>>/g, (_, name: string) => String(values[name]));
}
