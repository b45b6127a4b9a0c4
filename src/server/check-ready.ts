import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';
import { Failure } from '../model/failure.js';

const timeoutMs = 5_000;

interface ServerAddress {
  host: string;
  port: number;
  isTls: boolean;
}

/** Asks a server on this machine for /readyz. Rejects if it is not ready. */
export async function checkReady({ host, port, isTls }: ServerAddress): Promise<void> {
  // A server that listens on all addresses listens on the loopback address, too.
  const hostname = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  const get = isTls ? getHttps : getHttp;
  // The certificate is for the public name, not for an address of this machine.
  const options = { hostname, port, path: '/readyz', timeout: timeoutMs, rejectUnauthorized: false };
  const status = await new Promise<number>((resolve, reject) => {
    const request = get(options, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${timeoutMs / 1000} seconds`)));
    request.on('error', reject);
  }).catch((cause: Error) => {
    // Everything but a refused connection has its own message, such as a timeout.
    const code = 'code' in cause ? cause.code : null;
    const reason = code === 'ECONNREFUSED' ? '' : `: ${cause.message}`;
    // A server with TLS closes a connection without it.
    const mayNeedTls = !isTls && code === 'ECONNRESET';
    throw new Failure('network', `No server answers on ${hostname} port ${port}${reason}.`, {
      hint: mayNeedTls
        ? 'If it uses TLS, give it the setting serve.tls_cert, too. Otherwise, give its --host and --port.'
        : 'Start it with "mailvet serve", or give its --host and --port.',
      cause,
    });
  });
  if (status === 200) return;
  throw new Failure('unavailable', `The server on ${hostname} port ${port} is not ready (HTTP status ${status}).`, {
    hint: 'It may be starting or stopping, or cannot write to its store. Its log says more.',
  });
}
