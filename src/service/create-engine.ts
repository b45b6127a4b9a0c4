import { formatAmount, formatNumber } from '../model/amount.js';
import { Failure } from '../model/failure.js';
import { nearestName } from '../model/nearest-name.js';
import type { BulkAnswer, LocalResult } from '../model/result.js';
import type { BulkOptions, ValidateOptions } from '../model/service.js';
import { definitionOf, engineSettings } from '../settings/definitions.js';
import { type AddressesToVet, bundledEngine, type ValidationOptions } from './local/validation.js';

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

/** The documented options. */
export type PublicOptions = Pick<ValidationOptions, (typeof engineSettings)[number] | 'exclude' | 'onNote'>;

/** Opens the engine on first use; an invalid option throws a Failure at once. */
export function createEngine(options: PublicOptions = {}): PublicEngine {
  checkOptions(options);
  return bundledEngine(options) as PublicEngine;
}

/** Documented options that are not settings. */
const otherOptions = {
  exclude: { type: 'object', allowed: 'a list of files' },
  onNote: { type: 'function', allowed: 'a function' },
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
