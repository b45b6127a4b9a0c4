import { lazy } from '../async/lazy.js';
import type { ListService } from '../lists/pipeline.js';
import { formatAmount, formatNumber } from '../model/amount.js';
import { Failure } from '../model/failure.js';
import { nearestName } from '../model/nearest-name.js';
import type { BulkAnswer, LocalResult } from '../model/result.js';
import type { BulkOptions, ValidateOptions } from '../model/service.js';
import { defaultMaxCredits, definitionOf, engineSettings } from '../settings/definitions.js';
import {
  type AddressesToVet,
  bundledEngine,
  inChunks,
  type Validation,
  type ValidationOptions,
} from './local/validation.js';

/** The bundled engine for programs. Its types use only this package. */
export interface PublicEngine {
  validate(email: string, options?: Omit<ValidateOptions, 'onStep'>): Promise<LocalResult>;
  /** One answer per address, in input order, as they are known. */
  validateMany(
    emails: AddressesToVet,
    options?: Pick<BulkOptions, 'explain' | 'level' | 'deadlineMs' | 'signal'>,
  ): AsyncIterable<readonly (BulkAnswer & { result: LocalResult })[]>;
  close(): Promise<void>;
}

/** A remote service that is asked about what the engine cannot settle. */
interface Fallback {
  baseUrl: string;
  apiKey: string;
  /** The most that may be spent; 1,000 by default. */
  maxCredits?: number;
}

/** The documented options. */
export type PublicOptions = Pick<ValidationOptions, (typeof engineSettings)[number] | 'exclude' | 'onNote'> & {
  fallback?: Fallback;
};

/** Opens the engine on first use; an invalid option throws a Failure at once. */
export function createEngine(options: PublicOptions = {}): PublicEngine {
  checkOptions(options);
  const { fallback, ...engineOptions } = options;
  if (fallback !== undefined && ![fallback.baseUrl, fallback.apiKey].every((value) => typeof value === 'string'))
    throw notAllowed('fallback', 'without both', otherOptions.fallback.allowed);
  // All answers come from this engine: no earlier ones are passed to it.
  const engine = bundledEngine(engineOptions);
  return (fallback === undefined ? engine : withFallback(engine, fallback, engineOptions)) as PublicEngine;
}

/** Asks a service for what the engine cannot settle. */
function withFallback(
  engine: Validation,
  { maxCredits, ...remoteOptions }: Fallback,
  { level = 'smtp', onNote }: PublicOptions,
): Pick<Validation, 'validate' | 'validateMany' | 'close'> {
  const hybrid = lazy(async () => {
    const { openRemoteService } = await import('./remote/remote.js');
    const { openHybridService } = await import('./hybrid/hybrid.js');
    const remote = await openRemoteService({ ...remoteOptions, maxCredits: maxCredits ?? defaultMaxCredits });
    const note = (text: string): void => (onNote as ((text: string) => void) | undefined)?.(text);
    return openHybridService(engine as unknown as ListService, remote, { level, sends: [], onNote: note });
  });
  return {
    validate: async (email, call) => (await hybrid.get()).validate(email, call),
    validateMany: async function* (emails, call) {
      yield* (await hybrid.get()).validateMany(inChunks(emails), call);
    },
    close: async () => ((await hybrid.opened()) ?? engine).close(),
  };
}

/** Documented options that are not settings. */
const otherOptions = {
  exclude: { type: 'object', allowed: 'a list of files' },
  onNote: { type: 'function', allowed: 'a function' },
  fallback: { type: 'object', allowed: 'an object with baseUrl and apiKey' },
};

/** Callers without types may pass anything. */
function checkOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new Failure('usage', `The engine options must be an object, not ${kindOf(options)}.`);
  }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const setting = engineSettings.find((option) => option === name);
    if (setting !== undefined) checkSetting(setting, value);
    else if (!Object.hasOwn(otherOptions, name)) throw unknownOption(name);
    else {
      const { type, allowed } = otherOptions[name as keyof typeof otherOptions];
      if (typeof value !== type) throw notAllowed(name, kindOf(value), allowed);
    }
  }
}

function checkSetting(name: (typeof engineSettings)[number], value: unknown): void {
  const { kind, default: fallback } = definitionOf(name);
  if (value === null && fallback === null) return;
  if (kind.list) {
    if (!Array.isArray(value)) throw notAllowed(name, kindOf(value), `a list, each ${kind.item}`);
    const invalidItem: unknown = value.find((item) => typeof item !== 'string' || kind.parse(item) === undefined);
    if (invalidItem !== undefined)
      throw notAllowed(name, `a list with ${describeValue(invalidItem)} in it`, `a list, each ${kind.item}`);
  } else if (kind.range !== undefined) {
    const { min, max } = kind.range;
    const unit = name.endsWith('Ms') ? formatAmount(max, 'millisecond') : formatNumber(max);
    const isInRange = typeof value === 'number' && value >= min && value <= max;
    if (!isInRange) throw notAllowed(name, describeValue(value), `a number from ${formatNumber(min)} to ${unit}`);
  } else if (typeof fallback === 'boolean') {
    if (typeof value !== 'boolean') throw notAllowed(name, kindOf(value), 'true, false');
  } else if (typeof value !== 'string' || kind.parse(value) === undefined) {
    // An invalid proxy may contain a password, too.
    throw notAllowed(name, name === 'level' ? describeValue(value) : kindOf(value), kind.allowed);
  }
}

function notAllowed(name: string, value: string, allowed: string): Failure {
  return new Failure('usage', `The option ${name} cannot be ${value}.`, { hint: `Allowed: ${allowed}.` });
}

function unknownOption(name: string): Failure {
  const names = [...engineSettings, ...Object.keys(otherOptions)];
  const nearest = nearestName(
    name.replace(/[_-](\w)/g, (_, letter: string) => letter.toUpperCase()),
    names,
  );
  return new Failure('usage', `There is no option ${JSON.stringify(name.slice(0, 80))}.`, {
    hint: `${nearest === null ? '' : `Did you mean ${nearest}? `}Allowed: ${names.join(', ')}.`,
  });
}

function describeValue(value: unknown): string {
  if (typeof value === 'string') return `the text ${JSON.stringify(value.slice(0, 80))}`;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : kindOf(value);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'this text';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
