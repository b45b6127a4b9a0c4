/** Parses, encodes and shows the values of a setting. */
interface Kind<Value> {
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
  /** Undefined if the text is not allowed. */
  parse(text: string): Value | undefined;
  /** For the settings file. */
  encode(value: Value): string | number | boolean | readonly string[];
  /** For display. */
  show(value: Value): string;
}

/** One setting: its names, allowed values and default. */
export interface Definition<Value> {
  /** The name in the settings file and in `config`. The environment variable is `MAILVET_` and this name in capitals. */
  key: string;
  kind: Kind<NonNullable<Value>>;
  default: Value;
  /** What each back end uses if the setting is null. A kind of request may have another default. */
  usedDefault?: Record<'local' | 'remote', NonNullable<Value>>;
  description: string;
  /** The flag in commander's syntax, for what is not set once. */
  flag?: string;
  secret?: boolean;
}

export const define = <Value>(definition: Definition<Value>): Definition<Value> => definition;

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
  for (const unit of ['d', 'h', 'm', 's'] as const) {
    // One day is 24h.
    if (ms > (unit === 'd' ? 86_400_000 : 0) && ms % (unitMs[unit] ?? 1) === 0)
      return `${ms / (unitMs[unit] ?? 1)}${unit}`;
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

/** A URL with asterisks in place of its passwords. */
export function hidePassword(value: string): string {
  return value
    .replace(/^([a-z][a-z0-9+.-]*:\/\/[^/@:?#]*):[^/?#]*@/i, '$1:********@')
    .replace(/([?&](?:ssl)?password=)[^&#]*/gi, '$1********');
}

const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const hostName = new RegExp(`^${label}(?:\\.${label})*\\.?$`);

/** `HOST`, `HOST:PORT`, `[IPv6]`, `[IPv6]:PORT` or a bare IPv6 address. */
export function isHostAndPort(value: string): boolean {
  if (isIpv6(value)) return true;
  const match = /^(\[[^\]]+\]|[^:]+)(?::(\d{1,5}))?$/.exec(value);
  if (match === null) return false;
  const host = match[1] ?? '';
  const port = match[2] === undefined ? 53 : Number(match[2]);
  if (port < 1 || port > 65_535) return false;
  return host.startsWith('[') ? isIpv6(host.slice(1, -1)) : hostName.test(host);
}

/** A host name, or an address in brackets (RFC 5321 §4.1.1.1). */
export function isEhloName(value: string): boolean {
  if (value.startsWith('[') && value.endsWith(']')) {
    const bracketed = value.slice(1, -1);
    return isIpv4(bracketed) || (/^ipv6:/i.test(bracketed) && isIpv6(bracketed.slice(5)));
  }
  return value.length <= 253 && hostName.test(value);
}

/** An address, or `<>` for the null sender. */
export function isSender(value: string): boolean {
  return value === '<>' || /^[^\s<>@]{1,64}@[^\s<>@]{1,253}$/.test(value);
}

/** An http or https URL without credentials. */
export function isBaseUrl(value: string): boolean {
  const url = parseUrl(value);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return false;
  return url.hostname !== '' && url.username === '' && url.password === '' && url.hash === '' && url.search === '';
}

/** `socks5://[user:password@]host[:port]`, or `socks5h`; several are separated by commas. */
export function isSocksProxy(value: string): boolean {
  const urls = value.split(',').map(parseUrl);
  return urls.every((url) => url !== null && ['socks5:', 'socks5h:'].includes(url.protocol) && url.hostname !== '');
}

/** Unicast addresses with commas between, neither a wildcard nor IPv4-mapped IPv6. */
export function isSourceAddress(value: string): boolean {
  if (value.includes(',')) return value.split(',').every(isSourceAddress);
  if (isIpv4(value)) return value !== '0.0.0.0' && Number(value.split('.')[0]) < 224;
  // The URL parser normalizes the address.
  return isIpv6(value) && !/^\[(::\]|::ffff:|ff)/.test(parseUrl(`http://[${value}]/`)?.hostname ?? '');
}

/** An address block such as `10.0.0.0/8` or `fd00::/8`, or one address. */
export function isNetwork(value: string): boolean {
  const [address = '', bits, ...rest] = value.split('/');
  if (rest.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) return false;
  if (isIpv4(address)) return bits === undefined || Number(bits) <= 32;
  return isIpv6(address) && (bits === undefined || Number(bits) <= 128);
}

function isIpv4(value: string): boolean {
  const parts = value.split('.');
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255);
}

function isIpv6(value: string): boolean {
  return /^[0-9a-f:.]+$/i.test(value) && value.includes(':') && parseUrl(`http://[${value}]/`) !== null;
}

function parseUrl(value: string): URL | null {
  return URL.canParse(value) ? new URL(value) : null;
}
