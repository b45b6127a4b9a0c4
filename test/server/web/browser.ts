import { type Answer, type Asking, ask, type Send, type TestServer } from '../run-server.js';

/** Sends requests like a browser on a page of the server, with its cookies. */
export interface Browser {
  cookie: string | null;
  /** The cookie of a browser that has signed in before. */
  device: string | null;
  ask(path: string, asking?: Asking): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  /** Requests to the interface with the session. */
  api: Send;
}

/** A valid password for tests. */
export const password = 'correct horse battery';

export function openBrowser({ root }: Pick<TestServer, 'root'>): Browser {
  const browser: Browser = {
    cookie: null,
    device: null,
    ask: async (path, { headers, ...asking } = {}) => {
      const answer = await ask(`${root}${path}`, {
        ...asking,
        headers: {
          'sec-fetch-site': 'same-origin',
          ...((browser.cookie ?? browser.device) !== null && {
            cookie: [browser.cookie, browser.device].filter((each) => each !== null).join('; '),
          }),
          ...headers,
        },
      });
      for (const setCookie of [answer.headers['set-cookie'] ?? []].flat()) {
        const [pair = ''] = setCookie.split(';');
        if (pair.includes('-device=')) browser.device = pair;
        else browser.cookie = /Max-Age=0/.test(setCookie) ? null : pair;
      }
      return answer;
    },
    post: (path, body = {}) => browser.ask(path, { method: 'POST', body }),
    api: (path, asking) => browser.ask(`/api/v1${path}`, asking),
  };
  return browser;
}

/** Sets the first password, and signs in as administrator. */
export async function signedInAdmin(server: TestServer): Promise<Browser> {
  const browser = openBrowser(server);
  const token = new URL(server.setUpUrl ?? '').hash.slice(1);
  const { status } = await browser.post('/app/setup', { token, password });
  if (status !== 200) throw new Error(`could not set up: ${status}`);
  return browser;
}

/** Signs in with a key. */
export async function signedInKey(server: TestServer, key: string): Promise<Browser> {
  const browser = openBrowser(server);
  const { status } = await browser.post('/app/sign-in', { api_key: key });
  if (status !== 200) throw new Error(`could not sign in: ${status}`);
  return browser;
}
