/** A text without NUL, which SQLite's wasm build cuts it at and PostgreSQL refuses; anything else as it is. */
export function cleanValue<Value>(value: Value): Value | string {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
}
