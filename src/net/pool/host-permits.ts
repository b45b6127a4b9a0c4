/** Leave to open sessions for jobs, which the processes of a cluster share. Single and bulk requests need none. */
export interface HostPermits {
  /** Permits that this process holds. */
  readonly count: number;
  has(host: string): boolean;
  /** While answers wait to be stored: sessions ask for no more mailboxes of jobs. */
  isPaused(): boolean;
  /** Calls `onGranted` once there is a permit. */
  want(host: string, user: PermitUser): void;
  /** The host has no session of a job any more, or needs none. */
  release(host: string): void;
}

export interface PermitUser {
  onGranted(): void;
  /** Its sessions must end: at once if the permit is lost, otherwise after their batch. Then it calls `release`. */
  onWithdrawn(isLost: boolean): void;
}
