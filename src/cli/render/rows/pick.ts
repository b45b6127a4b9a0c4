/** A value inside a result, by its dotted path; null where it is absent. */
export function pick(value: unknown, path: string): unknown {
  let found: unknown = value;
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return null;
    found = (found as Record<string, unknown>)[name];
  }
  return found ?? null;
}

/** The requested fields, by their dotted names. */
export function pickAll(value: unknown, paths: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(paths.map((path) => [path, pick(value, path)]));
}

/** A value as the text of one cell. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(' ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
