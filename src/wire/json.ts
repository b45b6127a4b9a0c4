import { Failure } from '../model/failure.js';

/** Far deeper than any response, and shallow enough for recursion. */
const maxDepth = 32;

/**
 * Parses foreign JSON: bounded in depth, and without keys that could reach a prototype. Throws the Failure
 * `bad_answer`.
 */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch {
    // The parser's message quotes the text, which may hold addresses.
    throw new Failure('bad_answer', 'The service sent an answer that is not JSON.', {
      hint: 'Check that the base URL points at the service, and not at a web page or a proxy.',
    });
  }
  dropUnsafeKeys(value);
  return value;
}

function dropUnsafeKeys(root: unknown): void {
  let level: object[] = isObject(root) ? [root] : [];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) throw new Failure('bad_answer', 'The service sent an answer that is nested too deeply.');
    const next: object[] = [];
    for (const node of level) {
      if (Array.isArray(node)) {
        for (const child of node) if (isObject(child)) next.push(child);
        continue;
      }
      if (Object.hasOwn(node, '__proto__')) Reflect.deleteProperty(node, '__proto__');
      // All keys are own keys of a parsed object; `for in` avoids an array.
      for (const key in node) {
        const child: unknown = node[key as keyof typeof node];
        if (isObject(child)) next.push(child);
      }
    }
    level = next;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
