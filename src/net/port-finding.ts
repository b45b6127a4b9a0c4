/** Whether an earlier run found the port blocked on this network. */
export type PortFinding = { get(): boolean; set(): void };
