/** The opening tags of all elements of that name with attributes. */
export function elements(xml: string, name: string): string[] {
  return xml.match(new RegExp(`<(?:\\w+:)?${name}\\s[^>]*>`, 'g')) ?? [];
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The value of an attribute; empty if there is none. */
export function attribute(element: string, name: string): string {
  const value = new RegExp(`\\s${name}=(["'])(.*?)\\1`).exec(element)?.[2] ?? '';
  return value.replace(/&(?:#(x?)([\da-f]{1,6})|(\w+));/gi, (text, hex: string, digits: string, name: string) => {
    if (name !== undefined) return entities[name] ?? text;
    const code = Number.parseInt(digits, hex ? 16 : 10);
    return code <= 0x10ffff ? String.fromCodePoint(code) : text;
  });
}
