/** Parses, encodes and shows the values of a setting. */
export interface Kind<Value> {
  /** The end of the sentence "Allowed: …". */
  allowed: string;
  choices?: readonly string[];
  /** A list is repeatable as a flag and comma-separated elsewhere. */
  list?: boolean;
  item?: string;
  /** The bounds of a number, or of a time in milliseconds. */
  range?: { min: number; max: number };
  /** Stored as an absolute path. */
  path?: boolean;
  /** Undefined where the text is not allowed. */
  parse(text: string): Value | undefined;
  /** For the settings file. */
  encode(value: Value): string | number | boolean | readonly string[];
  /** For people. */
  show(value: Value): string;
}

export function choice<Word extends string>(...words: readonly Word[]): Kind<Word> {
  return {
    allowed: words.join(', '),
    choices: words,
    parse: (text) => words.find((word) => word === text.trim().toLowerCase()),
    encode: (value) => value,
    show: (value) => value,
  };
}

export function integer(min: number, max: number): Kind<number> {
  return {
    allowed: `a whole number from ${min} to ${max}`,
    range: { min, max },
    parse: (text) => {
      const value = /^\d{1,12}$/.test(text.trim()) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? value : undefined;
    },
    encode: (value) => value,
    show: String,
  };
}

export const bool: Kind<boolean> = {
  allowed: 'true, false',
  choices: ['true', 'false'],
  parse: (text) => {
    const word = text.trim().toLowerCase();
    if (['true', 'yes', 'on', '1'].includes(word)) return true;
    return ['false', 'no', 'off', '0'].includes(word) ? false : undefined;
  },
  encode: (value) => value,
  show: String,
};

const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration in milliseconds, written as `500ms`, `30s`, `5m`, `1h`, `90d`; a bare number is seconds. */
export function duration(minMs: number, maxMs: number): Kind<number> {
  return {
    allowed: `a time from ${showDuration(minMs)} to ${showDuration(maxMs)}, such as 500ms, 30s, 5m or 1h (a bare number is seconds)`,
    range: { min: minMs, max: maxMs },
    parse: (text) => {
      const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)?$/.exec(text.trim().toLowerCase());
      if (match === null) return undefined;
      const value = Math.round(Number(match[1]) * (unitMs[match[2] ?? 's'] ?? 1000));
      return value >= minMs && value <= maxMs ? value : undefined;
    },
    encode: showDuration,
    show: showDuration,
  };
}

function showDuration(ms: number): string {
  for (const unit of ['h', 'm', 's'] as const) {
    if (ms > 0 && ms % (unitMs[unit] ?? 1) === 0) return `${ms / (unitMs[unit] ?? 1)}${unit}`;
  }
  return ms === 0 ? '0s' : `${ms}ms`;
}

export function text(allowed: string, accepts: (value: string) => boolean): Kind<string> {
  return {
    allowed,
    parse: (raw) => (raw.trim() !== '' && accepts(raw.trim()) ? raw.trim() : undefined),
    encode: (value) => value,
    show: hidePassword,
  };
}

/** One or more accepted texts, separated by commas. */
export function list(allowed: string, accepts: (value: string) => boolean): Kind<readonly string[]> {
  return {
    allowed: `${allowed}; several are separated by commas`,
    item: allowed,
    list: true,
    parse: (raw) => {
      const items = raw
        .split(/[\s,]+/)
        .map((item) => item.trim())
        .filter((item) => item !== '');
      return items.length > 0 && items.every(accepts) ? items : undefined;
    },
    encode: (value) => value,
    show: (value) => value.join(','),
  };
}

export const file: Kind<string> = { ...text('a path to a file', (value) => !value.includes('\0')), path: true };

function hidePassword(value: string): string {
  return value.replace(/^([a-z][a-z0-9+.-]*:\/\/[^/@:]*):[^/@]*@/i, '$1:********@');
}
