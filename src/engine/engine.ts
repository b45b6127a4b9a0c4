import type { ParsedAddress } from '../model/address.js';
import type { Level } from '../model/evidence.js';
import type { Vetted } from '../model/verdict.js';
import type { PortMemory } from '../net/port-watch.js';
import { parseAddress } from './grammar/parse-address.js';
import { createLists } from './lists.js';
import type { NetworkOptions, NetworkSource } from './network-senses.js';
import { vet } from './vet.js';

/** What a run found out about the network it runs on; each is told once. */
export type EngineNote = 'resolver_denies_everything' | 'resolver_invents_answers' | 'outbound_port_blocked';

/** How the engine looks at addresses. All of it has defaults. */
export interface EngineOptions extends NetworkOptions {
  /** How deep to look; `smtp` unless told otherwise. */
  level?: Level;
  /** File of domains and addresses that never count as disposable, role or typo. */
  allowList?: string | null;
  /** File of domains and addresses that count as disposable. */
  denyList?: string | null;
  onNote?: (note: EngineNote) => void;
  portMemory?: PortMemory | null;
}

/** The bundled engine. Opened once, asked often, closed at the end. */
export interface Engine {
  /** Looks at one address; at once where no network is needed. Throws only when aborted. */
  vet(
    input: string,
    options?: { explain?: boolean; patient?: boolean; signal?: AbortSignal; syntax?: ParsedAddress },
  ): Vetted | Promise<Vetted>;
  close(): Promise<void>;
}

/** Opens the engine: reads the user's files and, where the level needs it, makes ready to ask the network. */
export async function openEngine(options: EngineOptions = {}): Promise<Engine> {
  const { level = 'smtp', allowList = null, denyList = null } = options;
  const lists = createLists(await readOwnLists(allowList, denyList));
  const network = level === 'syntax' ? null : await openNetwork(options);
  // Somebody who names a time wants it waited for, even for one address.
  const alwaysPatient = options.greylistWaitMs != null;
  return {
    vet: (input, { explain = false, patient = alwaysPatient, signal, syntax = parseAddress(input) } = {}) =>
      vet(
        input,
        syntax,
        { lists, network: network?.senses(explain) ?? null },
        { level, explain, patient, ...(signal && { signal }) },
      ),
    close: async () => network?.close(),
  };
}

async function readOwnLists(allowFile: string | null, denyFile: string | null) {
  if (allowFile === null && denyFile === null) return null;
  const { readUserLists } = await import('./user-lists.js');
  return readUserLists({ allowFile, denyFile });
}

async function openNetwork(options: EngineOptions): Promise<NetworkSource> {
  const { openNetworkSenses } = await import('./network-senses.js');
  return openNetworkSenses(options);
}
