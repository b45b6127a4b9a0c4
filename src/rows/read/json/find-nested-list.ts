/** Where a list of addresses is nested in a JSON object. */
interface NestedList {
  /** The names of its ancestors and its own, with dots between them. */
  path: string;
  /** The position of its bracket in the sample. */
  at: number;
  /** How many objects it is nested in. */
  depth: number;
}

const maxNestedDepth = 8;
const maxElementChars = 1024 * 1024;

/** The first array within objects that starts with an address, or with an object and has one; null if there is none. */
export function findNestedList(sample: string): NestedList | null {
  const names: string[] = [];
  let name = '';
  for (let at = 0; at < sample.length; at++) {
    const char = sample.charAt(at);
    if (char === '"') {
      const end = closingQuote(sample, at);
      if (end === -1) return null;
      name = sample.slice(at + 1, end);
      at = end;
    } else if (char === '{') {
      names.push(name);
      if (names.length > maxNestedDepth) return null;
    } else if (char === '}') names.pop();
    else if (char === '[') {
      const end = closingBracket(sample, at);
      const elements = sample.slice(at + 1, end === -1 ? sample.length : end);
      if (names.length > 0 && startsWithAddress(elements)) {
        return { path: [...names.slice(1), name].join('.'), at, depth: names.length };
      }
      if (end === -1) return null;
      at = end;
    }
  }
  return null;
}

function startsWithAddress(elements: string): boolean {
  return /^\s*(?:\{[\s\S]*?"[^"]*[^"\s@]@[^"\s@]|"[^"\s@]+@)/.test(elements.slice(0, maxElementChars));
}

function closingQuote(text: string, open: number): number {
  let at = text.indexOf('"', open + 1);
  while (at !== -1) {
    let slashes = 0;
    while (text.charAt(at - 1 - slashes) === '\\') slashes++;
    if (slashes % 2 === 0) return at;
    at = text.indexOf('"', at + 1);
  }
  return -1;
}

function closingBracket(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '"') {
      const end = closingQuote(text, at);
      if (end === -1) return -1;
      at = end;
    } else if (char === '[') depth++;
    else if (char === ']' && --depth === 0) return at;
  }
  return -1;
}
