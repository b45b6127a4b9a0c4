import { isIP, type Socket } from 'node:net';
import { connect, createSecureContext, type SecureContext } from 'node:tls';
import { recent } from '../../async/bounded-map.js';
import type { Target } from './dial.js';
import { SmtpFault } from './fault.js';

/** When to turn TLS on: where the host offers it, or only where it insists. */
export type TlsPolicy = 'offered' | 'required';

const rememberedHosts = 2_000;

/** TLS for all sessions of a run: one context, and what each host is known for. */
export class Tls {
  private context: SecureContext | null = null;
  private readonly tickets = recent<Buffer>(rememberedHosts);
  private readonly insisting = recent<true>(rememberedHosts);

  constructor(private readonly policy: TlsPolicy) {}

  /** Whether to start TLS before the first question to a host that offers it. */
  wantedBy(target: Target): boolean {
    return this.policy === 'offered' || this.insisting.get(keyOf(target)) !== undefined;
  }

  /** The host serves nobody without TLS, so its next sessions need not be told again. */
  remember(target: Target): void {
    this.insisting.set(keyOf(target), true);
  }

  /** The secured socket, or an `SmtpFault`. */
  start(plain: Socket, target: Target, timeoutMs: number): Promise<Socket> {
    const key = keyOf(target);
    const ticket = this.tickets.get(key);
    // The store of well-known authorities takes longer to load than a session takes, and nobody is asked for.
    this.context ??= createSecureContext({ ca: [] });
    const secured = connect({
      socket: plain,
      secureContext: this.context,
      // Not verified: nothing secret is sent, mail hosts rarely hold a certificate for the name that MX gives, and without TLS we
      // would say the same in clear (RFC 7435).
      rejectUnauthorized: false,
      ...(isIP(target.host) === 0 && target.host !== '' ? { servername: target.host } : {}),
      ...(ticket === undefined ? {} : { session: ticket }),
    });
    secured.on('session', (session) => this.tickets.set(key, session));
    return new Promise((resolve, reject) => {
      const done = (problem: string | null) => {
        clearTimeout(timer);
        secured.off('secureConnect', onSecure).off('error', onError).off('close', onClose);
        plain.off('error', onError);
        if (problem === null) return resolve(secured);
        this.tickets.delete(key);
        secured.on('error', () => {});
        plain.on('error', () => {});
        secured.destroy();
        plain.destroy();
        reject(new SmtpFault('tls', 'starttls', `TLS failed: ${problem}`));
      };
      const timer = setTimeout(() => done(`no handshake within ${timeoutMs} ms`), timeoutMs);
      const onSecure = () => done(null);
      const onError = (error: Error) => done(error.message);
      const onClose = () => done('the host closed the connection');
      secured.once('secureConnect', onSecure).once('error', onError).once('close', onClose);
      plain.once('error', onError);
    });
  }
}

function keyOf({ host, ip, port }: Target): string {
  return `${host} ${ip} ${port}`;
}
