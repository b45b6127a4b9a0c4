import type { Clock } from '../../async/clock.js';
import type { SmtpSession } from '../smtp/session.js';
import type { SessionSlots, SlotUser } from './session-limits.js';

/** A session that waits for more work. */
export interface IdleWait {
  /** True: there may be work again. False: it is time to leave. */
  readonly ended: Promise<boolean>;
  /** There is work. */
  wake(): void;
}

/** The sessions of one host that have no work and wait a little for more. */
export class IdleSessions {
  private readonly wakers = new Set<() => void>();
  private closed = false;

  constructor(
    private readonly clock: Clock,
    private readonly lingerMs: number,
    private readonly slots: SessionSlots,
    private readonly seeker: SlotUser,
  ) {}

  /** Waits for work, unless another host needs the slot or the connection goes. */
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
    const wake = () => end(!this.closed);
    const cancel = this.clock.after(this.lingerMs, () => end(false));
    const revoke = this.slots.offerIdle(this.seeker, () => end(false));
    this.wakers.add(wake);
    session.onLoss(() => end(false));
    if (this.closed) end(false);
    return { ended, wake };
  }

  wakeAll(): void {
    for (const wake of [...this.wakers]) wake();
  }

  close(): void {
    this.closed = true;
    this.wakeAll();
  }
}
