/** What others who have the store open see of a process. */
export interface ProcessInfo {
  kind: 'worker' | 'node' | 'command';
  /** Outlives the process, as its outbound address does; the machine's name by default. Of workers, no two that live have the same. */
  name?: string | null;
  /** The address that mail servers see, where one was chosen. */
  sourceIp?: string | null;
}
