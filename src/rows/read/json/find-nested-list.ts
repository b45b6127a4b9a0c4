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
  for (let index = 0; index < sample.length; index++) {
    const char = sample.charAt(index);
    if (char === '"') {
      const end = closingQuote(sample, index);
      if (end === -1) return null;
      name = sample.slice(index + 1, end);
      index = end;
    } else if (char === '{') {
      names.push(name);
      if (names.length > maxNestedDepth) return null;
    } else if (char === '}') names.pop();
    else if (char === '[') {
      const end = closingBracket(sample, index);
      const elements = sample.slice(index + 1, end === -1 ? sample.length : end);
      if (names.length > 0 && startsWithAddress(elements)) {
        return { path: [...names.slice(1), name].join('.'), at: index, depth: names.length };
      }
      if (end === -1) return null;
      index = end;
    }
  }
  return null;
}

function startsWithAddress(elements: string): boolean {
  return /^\s*(?:\{[\s\S]*?"[^"]*[^"\s@]@[^"\s@]|"[^"\s@]+@)/.test(elements.slice(0, maxElementChars));
}

function closingQuote(text: string, open: number): number {
  let index = text.indexOf('"', open + 1);
  while (index !== -1) {
    let slashes = 0;
    while (text.charAt(index - 1 - slashes) === '\\') slashes++;
    if (slashes % 2 === 0) return index;
    index = text.indexOf('"', index + 1);
  }
  return -1;
}

function closingBracket(text: string, open: number): number {
  let depth = 0;
  for (let index = open; index < text.length; index++) {
    const char = text.charAt(index);
    if (char === '"') {
      const end = closingQuote(text, index);
      if (end === -1) return -1;
      index = end;
    } else if (char === '[') depth++;
    else if (char === ']' && --depth === 0) return index;
  }
  return -1;
}
