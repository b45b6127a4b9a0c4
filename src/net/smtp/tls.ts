import { isIP, type Socket } from 'node:net';
import type { SecureContext, TLSSocket } from 'node:tls';
import type { Facts, HostKnowledge } from '../host-knowledge.js';
import type { Target } from './dial.js';
import { SmtpFault } from './fault.js';

/** When to use STARTTLS: if the host offers it, or only if it requires it. */
export type TlsPolicy = 'offered' | 'required';

/** The delayed-ACK timer of Linux. */
const delayedAckMs = 40;

/** TLS for all sessions: one context, and what is known about each host. */
export class Tls {
  private context: SecureContext | null = null;
  private readonly tickets: Facts<Buffer>;
  private readonly requiringTls: Facts<true>;
  private readonly ticketless: Facts<true>;

  constructor(
    private readonly policy: TlsPolicy,
    knowledge: HostKnowledge,
  ) {
    this.tickets = knowledge.open('tls_ticket');
    this.requiringTls = knowledge.open('tls_required');
    this.ticketless = knowledge.open('tls_without_ticket');
  }

  /** Whether to start TLS before the first transaction with a host that offers it. */
  isWantedFor(target: Target): boolean {
    return this.policy === 'offered' || this.requiringTls.get(keyOf(target)) !== undefined;
  }

  /** Records that the host requires TLS. */
  requireFor(target: Target): void {
    this.requiringTls.set(keyOf(target), true);
  }

  /** Creates the TLS context while the host has yet to send its banner. */
  prepare({ host }: Target): void {
    if (this.context !== null) return;
    // Certificates are not verified, and loading the CA store takes longer than a session.
    this.context = nodeTls().createSecureContext({ ca: [] });
    // The first call compiles a regular expression that the handshake needs.
    isIP(host);
  }

  /** Starts TLS and returns the encrypted socket; throws an `SmtpFault`. */
  async start(plain: Socket, target: Target, timeoutMs: number): Promise<Socket> {
    const key = keyOf(target);
    const startedAt = performance.now();
    const tlsSocket = this.connect(plain, target);
    const ticket = new Promise<true>((resolve) => {
      tlsSocket.on('session', (session) => {
        this.tickets.set(key, session);
        // This is deferred: a write while OpenSSL is still reading is lost.
        setImmediate(resolve, true);
      });
    });
    try {
      await handshake(tlsSocket, plain, timeoutMs);
    } catch (fault) {
      this.tickets.delete(key);
      throw fault;
    }
    const handshakeMs = performance.now() - startedAt;
    const expectsTicket = tlsSocket.getProtocol() === 'TLSv1.3' && this.ticketless.get(key) === undefined;
    if (expectsTicket) await this.awaitTicket(ticket, key, Math.min(handshakeMs, delayedAckMs));
    return tlsSocket;
  }

  private connect(socket: Socket, target: Target): TLSSocket {
    const { host } = target;
    const session = this.tickets.get(keyOf(target));
    this.prepare(target);
    return nodeTls().connect({
      socket,
      ...(this.context !== null && { secureContext: this.context }),
      // Opportunistic (RFC 7435): nothing secret is sent, and mail hosts rarely have a certificate for their MX name.
      rejectUnauthorized: false,
      ...(isIP(host) === 0 && host !== '' ? { servername: host } : {}),
      ...(session === undefined ? {} : { session }),
    });
  }

  /**
   * Postfix sends its session ticket before the reply to EHLO, and Nagle's algorithm (RFC 896) holds the reply until our delayed ACK.
   * Waiting for the ticket avoids that; a host whose ticket does not come in time is not waited for again.
   */
  private async awaitTicket(ticket: Promise<true>, key: string, maxWaitMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), Math.ceil(maxWaitMs));
    });
    const isInTime = await Promise.race([ticket, timeout]);
    clearTimeout(timer);
    if (!isInTime) this.ticketless.set(key, true);
  }
}

/** Loaded on first use, since it slows the start. */
function nodeTls(): typeof import('node:tls') {
  return process.getBuiltinModule('node:tls');
}

function handshake(tlsSocket: TLSSocket, plain: Socket, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (problem: string | null) => {
      clearTimeout(timer);
      tlsSocket.off('secureConnect', onSecure).off('error', onError).off('close', onClose);
      plain.off('error', onError);
      // Errors after the handshake are ignored.
      tlsSocket.on('error', () => {});
      if (problem === null) return resolve();
      plain.on('error', () => {});
      tlsSocket.destroy();
      plain.destroy();
      reject(new SmtpFault('tls', 'starttls', `TLS failed: ${problem}`));
    };
    const timer = setTimeout(() => finish(`no handshake within ${timeoutMs} ms`), timeoutMs);
    const onSecure = () => finish(null);
    const onError = (error: Error) => finish(error.message);
    const onClose = () => finish('the host closed the connection');
    tlsSocket.once('secureConnect', onSecure).once('error', onError).once('close', onClose);
    plain.once('error', onError);
  });
}

function keyOf({ host, ip, port }: Target): string {
  return `${host} ${ip} ${port}`;
}
