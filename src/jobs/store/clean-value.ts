/** Replaces NUL in a text: SQLite's wasm build truncates there, and PostgreSQL refuses it. */
export function cleanValue<Value>(value: Value): Value | string {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
}
