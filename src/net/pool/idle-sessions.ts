import type { Clock } from '../../async/clock.js';
import type { SmtpSession } from '../smtp/session.js';
import type { SessionSlots, SlotUser } from './session-limits.js';

/** The wait of an idle session. */
export interface IdleWait {
  /** True: there may be work. False: end the session. */
  readonly ended: Promise<boolean>;
  /** Ends the wait because there is work. */
  wake(): void;
}

/** The idle sessions of one host, kept open for a moment. */
export class IdleSessions {
  private readonly wakers = new Set<() => void>();
  private isClosed = false;

  constructor(
    private readonly clock: Clock,
    private readonly lingerMs: number,
    private readonly slots: SessionSlots,
    private readonly slotUser: SlotUser,
  ) {}

  /** Waits for work until another host needs the slot or the connection is lost. */
  wait(session: SmtpSession): IdleWait {
    let finish: (work: boolean) => void = () => {};
    const ended = new Promise<boolean>((resolve) => {
      finish = resolve;
    });
    const end = (work: boolean) => {
      cancel();
      revoke();
      this.wakers.delete(wake);
      finish(work);
    };
    const wake = () => end(!this.isClosed);
    const cancel = this.clock.after(this.lingerMs, () => end(false));
    const revoke = this.slots.offerIdle(this.slotUser, () => end(false));
    this.wakers.add(wake);
    session.onLoss(() => end(false));
    if (this.isClosed) end(false);
    return { ended, wake };
  }

  wakeAll(): void {
    for (const wake of [...this.wakers]) wake();
  }

  close(): void {
    this.isClosed = true;
    this.wakeAll();
  }
}
