import { isIP, type Socket } from 'node:net';
import type { SecureContext, TLSSocket } from 'node:tls';
import { LruMap } from '../../async/lru-map.js';
import type { Target } from './dial.js';
import { SmtpFault } from './fault.js';

/** When to turn TLS on: where the host offers it, or only where it insists. */
export type TlsPolicy = 'offered' | 'required';

const rememberedHosts = 2_000;
/** How long Linux puts off an acknowledgement that it could send along with data. */
const delayedAckMs = 40;

/** TLS for all sessions of a run: one context, and what each host is known for. */
export class Tls {
  private context: SecureContext | null = null;
  private readonly tickets = new LruMap<Buffer>({ maxEntries: rememberedHosts });
  private readonly requiring = new LruMap<true>({ maxEntries: rememberedHosts });
  private readonly ticketless = new LruMap<true>({ maxEntries: rememberedHosts });

  constructor(private readonly policy: TlsPolicy) {}

  /** Whether to start TLS before the first question to a host that offers it. */
  isWantedFor(target: Target): boolean {
    return this.policy === 'offered' || this.requiring.get(keyOf(target)) !== undefined;
  }

  /** The host serves nobody without TLS, so its next sessions need not be told again. */
  requireFor(target: Target): void {
    this.requiring.set(keyOf(target), true);
  }

  /** What the first handshake would have to wait for, done while the host has yet to speak. */
  prepare({ host }: Target): void {
    if (this.context !== null) return;
    // The store of well-known authorities takes longer to load than a session takes, and nobody is asked for.
    this.context = nodeTls().createSecureContext({ ca: [] });
    // Node looks whether the name is one, too, and takes long to get ready for that.
    isIP(host);
  }

  /** The secured socket, or an `SmtpFault`. */
  async start(plain: Socket, target: Target, timeoutMs: number): Promise<Socket> {
    const key = keyOf(target);
    const startedAt = performance.now();
    const secured = this.connect(plain, target);
    const ticket = new Promise<true>((resolve) => {
      secured.on('session', (session) => {
        this.tickets.set(key, session);
        // Not at once: OpenSSL is still reading, and what is written from within would be lost.
        setImmediate(resolve, true);
      });
    });
    try {
      await handshake(secured, plain, timeoutMs);
    } catch (fault) {
      this.tickets.delete(key);
      throw fault;
    }
    const tookMs = performance.now() - startedAt;
    const late = secured.getProtocol() === 'TLSv1.3' && this.ticketless.get(key) === undefined;
    if (late) await this.awaitTicket(ticket, key, Math.min(tookMs, delayedAckMs));
    return secured;
  }

  private connect(socket: Socket, { host, ip, port }: Target): TLSSocket {
    const session = this.tickets.get(keyOf({ host, ip, port }));
    this.prepare({ host, ip, port });
    return nodeTls().connect({
      socket,
      ...(this.context !== null && { secureContext: this.context }),
      // Not verified: nothing secret is sent, mail hosts rarely hold a certificate for the name that MX gives, and without TLS we
      // would say the same in clear (RFC 7435).
      rejectUnauthorized: false,
      ...(isIP(host) === 0 && host !== '' ? { servername: host } : {}),
      ...(session === undefined ? {} : { session }),
    });
  }

  /**
   * A host that sends its ticket and then the answer to EHLO, as Postfix does, may not send the second before we acknowledge the first
   * (RFC 896), which our side puts off while it has nothing to say. So the ticket is let come first; a host whose ticket does not come in time is
   * not waited for again.
   */
  private async awaitTicket(ticket: Promise<true>, key: string, atMostMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), Math.ceil(atMostMs));
    });
    const came = await Promise.race([ticket, tooLate]);
    clearTimeout(timer);
    if (!came) this.ticketless.set(key, true);
  }
}

/** Loaded where a host wants TLS: a list that needs none would wait for it at its start. */
function nodeTls(): typeof import('node:tls') {
  return process.getBuiltinModule('node:tls');
}

function handshake(secured: TLSSocket, plain: Socket, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (problem: string | null) => {
      clearTimeout(timer);
      secured.off('secureConnect', onSecure).off('error', onError).off('close', onClose);
      plain.off('error', onError);
      // Whatever comes after the end of a handshake is nobody's to hear.
      secured.on('error', () => {});
      if (problem === null) return resolve();
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

function keyOf({ host, ip, port }: Target): string {
  return `${host} ${ip} ${port}`;
}
