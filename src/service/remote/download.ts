import { formatAmount } from '../../model/amount.js';
import { Failure } from '../../model/failure.js';
import { isLoopback } from '../../wire/routes.js';
import { exchange, NoResponse } from './exchange.js';
import { decompress, type HttpProxy, openDispatcher } from './http.js';

interface DownloadOptions {
  maxBytes: number;
  timeoutMs: number;
  userAgent: string;
  proxy: HttpProxy;
  signal: AbortSignal;
}

const maxRedirects = 5;

/** Downloads a file of at most `maxBytes` over https. Redirects must lead to https or to this machine, too. */
export async function download(address: string, options: DownloadOptions): Promise<Buffer> {
  let url = parseUrl(address);
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const answer = await request(url, options);
    if (answer.status === 200) {
      const encoding = answer.header('content-encoding');
      return await decompress(answer.body as Buffer, encoding, options.maxBytes).catch((error: unknown) => {
        throw error instanceof NoResponse ? downloadFailure(url, error.message) : error;
      });
    }
    const location = answer.header('location');
    if (answer.status < 300 || answer.status >= 400 || location === null) {
      throw downloadFailure(url, `The server answered with status ${answer.status}.`);
    }
    if (!URL.canParse(location, url)) throw downloadFailure(url, 'It redirects to an invalid address.');
    url = parseUrl(new URL(location, url).href);
  }
  throw downloadFailure(url, `It redirects more than ${formatAmount(maxRedirects, 'time')}.`);
}

async function request(url: URL, { maxBytes, timeoutMs, userAgent, proxy, signal }: DownloadOptions) {
  const dispatcher = await openDispatcher({ root: url, connections: 1, connectTimeoutMs: timeoutMs, proxy });
  try {
    return await exchange(
      dispatcher,
      { maxResponseBytes: maxBytes, timeoutMs, signal },
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: 'GET',
        headers: { accept: '*/*', 'accept-encoding': 'gzip, identity', 'user-agent': userAgent },
        body: null,
      },
    );
  } catch (error) {
    if (!(error instanceof NoResponse)) throw error;
    if (error.kind === 'aborted') throw new Failure('interrupted', 'Interrupted.');
    throw downloadFailure(url, error.message);
  } finally {
    await dispatcher.destroy();
  }
}

function parseUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))) return url;
  throw new Failure('usage', 'A download needs an https address.', {
    hint: 'Give an https URL, or download the file and give its path.',
  });
}

function downloadFailure({ origin, pathname }: URL, reason: string): Failure {
  return new Failure('network', `${origin}${pathname} cannot be downloaded. ${reason}`, {
    hint: 'Check the address and the network, or download the file elsewhere and give its path.',
  });
}
