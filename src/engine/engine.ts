import { setMaxListeners } from 'node:events';
import type { ParsedAddress } from '../model/address.js';
import type { Level } from '../model/evidence.js';
import { Failure } from '../model/failure.js';
import type { Vetted } from '../model/verdict.js';
import type { Prober } from '../net/probe/prober.js';
import type { EngineOptions } from './engine-options.js';
import { createLists } from './lists/lists.js';
import type { NetworkCheckerSource } from './network-checks.js';
import { type NetworkCheckers, type VetOptions, vet } from './vet.js';

/** How one address, or a whole list, is to be looked at. */
export interface CheckOptions extends Omit<VetOptions, 'level'> {
  /** Asks for mailboxes in place of the engine's own. */
  prober?: Prober;
}

/** Looks at one address that was parsed already; at once where no network is needed. Throws only when aborted. */
type Vetter = (input: string, syntax: ParsedAddress) => Vetted | Promise<Vetted>;

/** The bundled engine. Opened once, asked often, closed at the end. */
export interface Engine {
  /** Settles how to look, once for any number of addresses. */
  vetter(options?: CheckOptions): Vetter;
  /** Asks for mailboxes; null at levels that do not. */
  prober: Prober | null;
  /** By the last looks at it, the resolver answers nobody, or denies everything. */
  isResolverDown(): boolean;
  close(): Promise<void>;
}

const levels: readonly Level[] = ['syntax', 'dns', 'smtp'];

/** Opens the engine: reads the user's files and, where the level needs it, makes ready to ask the network. */
export async function openEngine(options: EngineOptions = {}): Promise<Engine> {
  const { level = 'smtp', allowList = null, denyList = null } = options;
  if (!levels.includes(level)) {
    throw new Failure('usage', `There is no level "${level}".`, { hint: `Use one of: ${levels.join(', ')}.` });
  }
  const lists = createLists(await readOwnLists(allowList, denyList));
  const network = level === 'syntax' ? null : await openNetwork(options);
  // Somebody who names a time wants it waited for, even for one address.
  const alwaysPatient = options.greylistWaitMs != null;
  const shared = { lists, network: network?.checkers(false) ?? null };
  const makeLook = ({
    explain = false,
    patient = alwaysPatient,
    signal,
    deadline,
    onStep,
    prober,
  }: CheckOptions): Vetter => {
    // One signal reaches every socket of a run: many listeners are no leak.
    for (const stop of [signal, deadline]) if (stop !== undefined) setMaxListeners(0, stop);
    const vetOptions = {
      level,
      explain,
      patient,
      ...(signal && { signal }),
      ...(deadline && { deadline }),
      ...(onStep && { onStep }),
    };
    const over = (own: NetworkCheckers | null) => ({ lists, network: own && prober ? { ...own, prober } : own });
    const common = over(shared.network);
    // What is kept for one address must not mix with another's.
    const senses = explain ? () => over(network?.checkers(true) ?? null) : () => common;
    return (input, syntax) => vet(input, syntax, senses(), vetOptions);
  };
  const plainLook = makeLook({});
  return {
    // All that can be wished for is about the network.
    vetter: (options) => (options === undefined || network === null ? plainLook : makeLook(options)),
    prober: level === 'smtp' ? (shared.network?.prober ?? null) : null,
    isResolverDown: () => network?.isResolverDown() ?? false,
    close: async () => network?.close(),
  };
}

async function readOwnLists(allowFile: string | null, denyFile: string | null) {
  if (allowFile === null && denyFile === null) return null;
  const { readUserLists } = await import('./lists/user-lists.js');
  return readUserLists({ allowFile, denyFile });
}

async function openNetwork(options: EngineOptions): Promise<NetworkCheckerSource> {
  const { openNetworkCheckers } = await import('./network-checks.js');
  return openNetworkCheckers(options);
}
