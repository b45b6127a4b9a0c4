export { parseAddress } from './engine/grammar/parse-address.js';
export { plausibility } from './engine/plausibility/plausibility.js';
export type { Address, AddressLiteral, ParsedAddress, SyntaxFault } from './model/address.js';
export type { Evidence, Level } from './model/evidence.js';
export { Failure, type FailureCode } from './model/failure.js';
export type { Outcome } from './model/outcome.js';
export type { BulkAnswer, BulkItem, BulkSummary, LocalResult, ValidationResult } from './model/result.js';
export type { SyntaxCode } from './model/syntax-codes.js';
export type { Status, SubStatus, Verdict } from './model/verdict.js';
export {
  createEngine,
  type PublicEngine as Validation,
  type PublicOptions as ValidationOptions,
} from './service/create-engine.js';
