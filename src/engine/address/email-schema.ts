import type { SyntaxCode } from '../../model/syntax-codes.js';
import { loadIdna } from '../grammar/idna.js';
import { parseAddress } from '../grammar/parse-address.js';
import { reservedName } from '../lists/reserved-names.js';
import { isFree, isRole, suggest } from './address-facts.js';
import { loadDisposable } from './disposable.js';

/** What a form may refuse beyond the syntax. */
export type Refusal = 'typo' | 'role' | 'free' | 'reserved' | 'disposable';

export interface EmailSchemaOptions {
  /** Default: none. With `disposable`, validation is asynchronous. */
  refuse?: readonly Refusal[];
}

/** An issue of Standard Schema, with what a form needs to help. */
export interface EmailIssue {
  readonly message: string;
  readonly code: SyntaxCode | Refusal | 'not_a_string';
  /** UTF-16 index in the text. */
  readonly position: number;
  readonly suggestion: string | null;
}

type EmailResult = { readonly value: string; readonly issues?: undefined } | { readonly issues: readonly EmailIssue[] };

/** Standard Schema v1 (standardschema.dev). The interface is repeated here, so that the types need no other package. */
export interface EmailSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'mailvet';
    readonly validate: (value: unknown) => EmailResult | Promise<EmailResult>;
    readonly types?: { readonly input: string; readonly output: string } | undefined;
  };
}

const sentences: Record<Refusal, string> = {
  typo: 'Check the part after the @ for typing errors.',
  role: 'Use your own address, not one that belongs to a team or a function.',
  free: 'Use the address of your organization, not one of a public mail provider.',
  reserved: 'This domain is reserved for documentation and tests.',
  disposable: 'Use a permanent address: this domain hands out disposable ones.',
};

/** A schema of an email address for form and validation libraries. The value stays as it was typed. */
export function emailSchema({ refuse = [] }: EmailSchemaOptions = {}): EmailSchema {
  const validate = (value: unknown): EmailResult | Promise<EmailResult> =>
    refuse.includes('disposable') ? validateWithLists(value, refuse) : validateNow(value, refuse);
  return { '~standard': { version: 1, vendor: 'mailvet', validate } };
}

async function validateWithLists(value: unknown, refuse: readonly Refusal[]): Promise<EmailResult> {
  const [isDisposable] = await Promise.all([loadDisposable(), loadIdna()]);
  const result = validateNow(value, refuse);
  return result.issues === undefined && isDisposable(result.value) ? refused('disposable', result.value) : result;
}

function validateNow(value: unknown, refuse: readonly Refusal[]): EmailResult {
  if (typeof value !== 'string') {
    return { issues: [{ message: 'Give the address as text.', code: 'not_a_string', position: 0, suggestion: null }] };
  }
  const parsed = parseAddress(value);
  if (!parsed.ok) return { issues: [{ ...parsed.fault, suggestion: suggest(value) }] };
  const matches: Record<Refusal, () => boolean> = {
    typo: () => suggest(value) !== null,
    role: () => isRole(value),
    free: () => isFree(value),
    reserved: () => reservedName(parsed.address.domain) !== null,
    disposable: () => false,
  };
  const refusal = refuse.find((name) => matches[name]?.());
  return refusal === undefined ? { value } : refused(refusal, value);
}

function refused(code: Refusal, value: string): EmailResult {
  const position = code === 'role' ? 0 : value.lastIndexOf('@') + 1;
  return { issues: [{ message: sentences[code], code, position, suggestion: suggest(value) }] };
}
