/** What other processes on the same store see of a process. */
export interface ProcessInfo {
  kind: 'worker' | 'node' | 'command';
  /** Survives a restart, as the outbound address does; by default the host name. Unique among live workers. */
  name?: string | null;
  /** The address that mail servers see, where configured. */
  sourceIp?: string | null;
}
