export { parseAddress } from './engine/grammar/parse-address.js';
export { plausibility } from './engine/plausibility/plausibility.js';
export type { Address, AddressLiteral, ParsedAddress, SyntaxCode, SyntaxFault } from './model/address.js';
export type { Evidence, Level, Outcome } from './model/evidence.js';
export { Failure, type FailureCode } from './model/failure.js';
export type { BulkAnswer, BulkItem, BulkSummary, ValidationResult } from './model/result.js';
export type { Status, SubStatus, Verdict } from './model/verdict.js';
export { createEngine, type PublicEngine as Validation } from './service/create-engine.js';
export type { ValidationOptions } from './service/validation-options.js';
