import { createSocket } from 'node:dgram';
import { connect, isIP, isIPv4, type Socket } from 'node:net';
import { sleep, systemClock } from '../../async/clock.js';
import { Failure, isOutOfDescriptors } from '../../model/failure.js';
import { SmtpFault } from './fault.js';

/** Where to connect: `ip` is dialed; `host` is for TLS and for display. */
export interface Target {
  host: string;
  ip: string;
  port: number;
}

/** The address of a host: names may share it. */
export function keyOfTarget({ ip, port }: Target): string {
  return `${ip} ${port}`;
}

/** Resolves to a connected socket; throws an `SmtpFault` of stage `connect`. */
export type Dial = (target: Target, timeoutMs: number, signal: AbortSignal) => Promise<Socket>;

/** How mail servers are reached: directly, from local addresses, or through proxies; both are comma-separated. */
export interface OutboundRoute {
  /** `socks5://[user:password@]host:port` */
  proxy?: string | null;
  sourceIp?: string | null;
}

/** The parts of a comma-separated route. */
export function routesIn(value: string | null | undefined): string[] {
  return (value ?? '').split(',').filter((part) => part !== '');
}

/** The dial function for a route. A proxy together with a source address is the Failure `usage`. */
export function chooseDial({ proxy, sourceIp }: OutboundRoute): Dial {
  const [proxies, addresses] = [routesIn(proxy), routesIn(sourceIp)];
  if (proxies.length === 0 && addresses.length === 0) return directDial;
  if (addresses.length === 0) return awaitDescriptor(dialByHost(proxies.map(socksDial), () => true));
  const isOfFamily = (at: number, { ip }: Target) => isIP(addresses[at] ?? '') === isIP(ip);
  if (proxies.length === 0) return awaitDescriptor(dialByHost(addresses.map(dialFrom), isOfFamily));
  const hint =
    'A proxy reaches mail servers from its own address; "mailvet config list" shows which settings are stored.';
  throw new Failure('usage', 'Of the settings proxy and source_ip, only one can be set.', { hint });
}

/** Throws a Failure if the route cannot work, as far as this machine can tell without dialing. */
export async function checkOutboundRoute(route: OutboundRoute): Promise<void> {
  chooseDial(route);
  await Promise.all(routesIn(route.sourceIp).map(checkBindable));
}

/** Binds to the address: the interface list omits addresses such as most of 127.0.0.0/8. */
function checkBindable(ip: string): Promise<void> {
  const socket = createSocket(isIPv4(ip) ? 'udp4' : 'udp6');
  return new Promise<void>((resolve, reject) => {
    socket.once('error', (cause: NodeJS.ErrnoException) => {
      const problem = `this machine has no such address (${cause.code})`;
      const hint = 'Set source_ip to one of the addresses that "ip address" shows, or leave it out.';
      reject(new Failure('usage', `Mail servers cannot be reached from ${ip}: ${problem}.`, { hint, cause }));
    });
    socket.bind({ address: ip, port: 0, exclusive: true }, resolve);
  }).finally(() => socket.close());
}

/** Connects that fail in a row until a route is asked last, and for how long. */
const [failuresBeforeAvoiding, avoidMs] = [3, 60_000];

/**
 * Dials each mail host over the same of several routes, since a host that greylists remembers the address. If that route
 * fails itself, the next one is taken.
 */
function dialByHost(dials: readonly Dial[], isUsable: (at: number, target: Target) => boolean): Dial {
  const routes = dials.map((dial) => ({ dial, failures: 0, avoidUntil: 0 }));
  return async (target, timeoutMs, signal) => {
    const first = [...target.host].reduce((sum, letter) => (31 * sum + letter.charCodeAt(0)) >>> 0, 7) % routes.length;
    const inTurn = [...routes.slice(first), ...routes.slice(0, first)];
    const usable = inTurn.filter((route) => isUsable(routes.indexOf(route), target));
    const order = usable.length === 0 ? inTurn.slice(0, 1) : usable;
    const isAvoided = ({ avoidUntil }: { avoidUntil: number }) => Number(avoidUntil > performance.now());
    order.sort((one, other) => isAvoided(one) - isAvoided(other));
    for (let at = 0; ; at++) {
      const route = order[at] as (typeof routes)[number];
      try {
        const socket = await route.dial(target, timeoutMs, signal);
        route.failures = 0;
        return socket;
      } catch (fault) {
        const isOfRoute = fault instanceof SmtpFault && (fault.kind === 'proxy' || fault.kind === 'source');
        if (isOfRoute && ++route.failures >= failuresBeforeAvoiding) route.avoidUntil = performance.now() + avoidMs;
        if (!isOfRoute || signal.aborted || at === order.length - 1) throw fault;
      }
    }
  };
}

/** Connects directly. */
export const directDial: Dial = awaitDescriptor(dialFrom(null));

const descriptorRetryMs = 100;

/** Dials again while no descriptor is free, for the time of one connect at most: that says nothing about the host. */
function awaitDescriptor(dial: Dial): Dial {
  return async (target, timeoutMs, signal) => {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      try {
        return await dial(target, timeoutMs, signal);
      } catch (fault) {
        if (!isOutOfDescriptors(fault) || signal.aborted || performance.now() > deadline) throw fault;
        await sleep(systemClock, descriptorRetryMs);
      }
    }
  };
}

function dialFrom(sourceIp: string | null): Dial {
  return (target, timeoutMs, signal) =>
    new Promise((resolve, reject) => {
      // A name would bypass the checks of the address; '' would be localhost.
      if (isIP(target.ip) === 0) throw new SmtpFault('unreachable', 'connect', `${target.ip} is not an IP address`);
      if (sourceIp !== null && isIP(sourceIp) !== isIP(target.ip)) {
        throw new SmtpFault('source', 'connect', `${target.ip} cannot be reached from ${sourceIp}`);
      }
      const localAddress = sourceIp === null ? {} : { localAddress: sourceIp };
      const socket = connect({ host: target.ip, port: target.port, noDelay: true, ...localAddress });
      const finish = (fault: SmtpFault | null) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        socket.off('connect', onConnect).off('error', onError);
        if (fault === null) return resolve(socket);
        socket.on('error', () => {});
        socket.destroy();
        reject(fault);
      };
      const onAbort = () => finish(new SmtpFault('closed', 'connect', 'interrupted'));
      const timer = setTimeout(
        () => finish(new SmtpFault('connect_timeout', 'connect', `no connection within ${timeoutMs} ms`)),
        timeoutMs,
      );
      const onConnect = () => finish(null);
      const onError = (error: Error) => finish(connectFault(error));
      signal.addEventListener('abort', onAbort, { once: true });
      socket.once('connect', onConnect).once('error', onError);
      if (signal.aborted) onAbort();
    });
}

function connectFault(error: NodeJS.ErrnoException): SmtpFault {
  if (error.code === 'ECONNREFUSED') return new SmtpFault('refused', 'connect', 'connection refused');
  // A local failure: the address is gone from this machine, or all of its ports are in use.
  if (error.syscall === 'bind' || isOutOfDescriptors(error))
    return new SmtpFault('source', 'connect', `cannot dial from here: ${error.code}`);
  if (error.code === 'ETIMEDOUT') return new SmtpFault('connect_timeout', 'connect', 'no connection');
  return new SmtpFault('unreachable', 'connect', `cannot connect: ${error.code ?? error.message}`);
}

/** Through a SOCKS5 proxy, given as `socks5://[user:password@]host:port`; anything else is the Failure `bad_input`. */
export function socksDial(proxy: string): Dial {
  const url = URL.canParse(proxy) ? new URL(proxy) : null;
  if (url === null || !/^socks5h?:$/.test(url.protocol) || url.hostname === '') {
    throw new Failure('bad_input', 'The proxy is not of the form socks5://[user:password@]host:port.', {
      hint: 'Only SOCKS5 proxies can carry SMTP. Example: --set proxy=socks5://127.0.0.1:1080',
    });
  }
  const decode = (part: string): string => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  };
  const settings = {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || 1080),
    type: 5 as const,
    ...(url.username === '' ? {} : { userId: decode(url.username) }),
    ...(url.password === '' ? {} : { password: decode(url.password) }),
  };
  return async (target, timeoutMs, signal) => {
    const { SocksClient } = await import('./socks-client.js');
    const client = new SocksClient({
      proxy: settings,
      command: 'connect',
      destination: { host: target.ip, port: target.port },
      timeout: timeoutMs,
    });
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new SmtpFault('closed', 'connect', 'interrupted'));
      // Our own socket: the library's would stay open after an abort, and keep the process alive.
      const socket = connect({ host: settings.host, port: settings.port, noDelay: true });
      const finish = (fault: SmtpFault | null) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        if (fault === null) return resolve(socket.off('error', onError));
        reject(fault);
        socket.destroy();
      };
      const onAbort = () => finish(new SmtpFault('closed', 'connect', 'interrupted'));
      // The library's messages name the step that failed, and contain no password.
      const onError = ({ message }: Error) =>
        finish(new SmtpFault('proxy', 'connect', `the proxy did not connect: ${message}`));
      const timer = setTimeout(() => onError(new Error('Proxy connection timed out')), timeoutMs);
      signal.addEventListener('abort', onAbort, { once: true });
      client.on('established', () => finish(null));
      client.on('error', onError);
      socket.on('error', onError).once('connect', () => client.connect(socket));
    });
  };
}
