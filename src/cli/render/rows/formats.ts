import * as json from './json.js';
import type { RowStyle, RowWriter } from './row-writer.js';

interface OutputFormat {
  /** `json` and `cells` can be read back; `screen` and `text` cannot. */
  kind: 'screen' | 'json' | 'cells' | 'text';
  extensions: readonly string[];
  load(): Promise<{ openWriter(style: RowStyle): RowWriter | Promise<RowWriter> }>;
}

/** All output formats, in the order of help and completion. Only JSON is loaded at the start, since scripts use it. */
const outputFormats = {
  table: { kind: 'screen', extensions: [], load: () => import('./table.js') },
  json: { kind: 'json', extensions: ['json'], load: async () => json },
  ndjson: { kind: 'json', extensions: ['ndjson', 'jsonl'], load: async () => ({ openWriter: json.openLineWriter }) },
  csv: { kind: 'cells', extensions: ['csv', 'tsv', 'tab'], load: () => import('./csv.js') },
  xlsx: { kind: 'cells', extensions: ['xlsx'], load: () => import('./xlsx.js') },
  plain: { kind: 'text', extensions: ['txt'], load: () => import('./plain.js') },
} as const satisfies Record<string, OutputFormat>;

/** The name of a format. The table of a single address is a card. */
export type Format = keyof typeof outputFormats;

export const formatNames = Object.keys(outputFormats) as readonly Format[];

/** The extensions of all formats, each with its dot. */
export const formatExtensions: readonly string[] = formatNames.flatMap((name) =>
  outputFormats[name].extensions.map((extension) => `.${extension}`),
);

/** The kind of a format; null for an unknown name. */
export function formatKind(name: string | null | undefined): OutputFormat['kind'] | null {
  return formatNames.some((each) => each === name) ? outputFormats[name as Format].kind : null;
}

/** The format of an extension, ignoring case; null if there is none. */
export function formatByExtension(extension: string): Format | null {
  const lowerCase = extension.toLowerCase();
  return formatNames.find((name) => outputFormats[name].extensions.some((each) => each === lowerCase)) ?? null;
}

/** Opens a writer. Only the module of its format is loaded. */
export async function openRowWriter(format: Format, style: RowStyle): Promise<RowWriter> {
  const { openWriter } = await outputFormats[format].load();
  return openWriter(style);
}
