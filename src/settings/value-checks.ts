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
    const inside = value.slice(1, -1);
    return isIpv4(inside) || (/^ipv6:/i.test(inside) && isIpv6(inside.slice(5)));
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

/** `socks5://[user:password@]host[:port]`, or `socks5h`. */
export function isSocksProxy(value: string): boolean {
  const url = parseUrl(value);
  return url !== null && ['socks5:', 'socks5h:'].includes(url.protocol) && url.hostname !== '';
}

/** A unicast address, neither a wildcard nor IPv4-mapped IPv6. */
export function isSourceAddress(value: string): boolean {
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
