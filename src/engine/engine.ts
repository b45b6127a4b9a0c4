import { setMaxListeners } from 'node:events';
import type { ParsedAddress } from '../model/address.js';
import { type Level, levelWithin } from '../model/evidence.js';
import type { Vetted } from '../model/verdict.js';
import type { Prober } from '../net/probe/prober.js';
import type { EngineOptions } from './engine-options.js';
import { findLists } from './lists/installed-lists.js';
import { createLists } from './lists/lists.js';
import type { NetworkCheckerSource } from './network-checks.js';
import { createSyntaxVetter, type NetworkCheckers, type VetOptions, vet } from './vet.js';

export interface CheckOptions extends Omit<VetOptions, 'level'> {
  /** The level, at most that of the engine. */
  level?: Level | undefined;
  /** Replaces the engine's own prober. */
  prober?: Prober | undefined;
}

/** Vets a parsed address; synchronous if no network is needed. Throws only when aborted. */
type Vetter = (input: string, syntax: ParsedAddress) => Vetted | Promise<Vetted>;

/** The bundled engine. */
export interface Engine {
  /** A function that vets addresses with these options. */
  vetter(options?: CheckOptions): Vetter;
  /** Vets addresses at level syntax, whatever the level of the engine. */
  vetSyntax: ReturnType<typeof createSyntaxVetter>;
  /** Null at levels without SMTP. */
  prober: Prober | null;
  /** Whether the resolver was silent, or denied existing domains, when last checked. */
  isResolverDown(): boolean;
  close(): Promise<void>;
}

/** Opens the engine: reads the user's lists and, if the level needs it, opens the network. */
export async function openEngine(options: EngineOptions = {}): Promise<Engine> {
  const { level = 'smtp', allowList = null, denyList = null, listsFolder = null } = options;
  levelWithin('smtp', level);
  const lists = createLists(await readLists(allowList, denyList), findLists(listsFolder));
  const network = level === 'syntax' ? null : await openNetwork(options);
  const sharedCheckers = network?.checkers(false) ?? null;
  const createVetter = ({
    level: requested = level,
    explain = false,
    caller,
    deadline,
    failOpen = false,
    onStep,
    prober,
  }: CheckOptions): Vetter => {
    // One signal reaches every socket of a run, so many listeners are expected.
    for (const stop of [caller?.signal, deadline]) if (stop !== undefined) setMaxListeners(0, stop);
    const vetOptions = {
      level: levelWithin(level, requested),
      explain,
      failOpen,
      ...(caller && { caller }),
      ...(deadline && { deadline }),
      ...(onStep && { onStep }),
    };
    const withProber = (network: NetworkCheckers | null) => ({
      lists,
      network: network && prober ? { ...network, prober } : network,
    });
    const common = withProber(sharedCheckers);
    // With `explain`, each address records its own lookups.
    const checkers = explain ? () => withProber(network?.checkers(true) ?? null) : () => common;
    return (input, syntax) => vet(input, syntax, checkers(), vetOptions);
  };
  const defaultVetter = createVetter({});
  return {
    vetter: (options) => (options === undefined ? defaultVetter : createVetter(options)),
    vetSyntax: createSyntaxVetter(lists),
    prober: level === 'smtp' ? (sharedCheckers?.prober ?? null) : null,
    isResolverDown: () => network?.isResolverDown() ?? false,
    close: async () => network?.close(),
  };
}

async function readLists(allowFile: string | null, denyFile: string | null) {
  if (allowFile === null && denyFile === null) return null;
  const { readUserLists } = await import('./lists/user-lists.js');
  return readUserLists({ allowFile, denyFile });
}

async function openNetwork(options: EngineOptions): Promise<NetworkCheckerSource> {
  const { openNetworkCheckers } = await import('./network-checks.js');
  return openNetworkCheckers(options);
}
