export { canonical, isFree, isRole, suggest } from './engine/address/address-facts.js';
export { loadDisposable } from './engine/address/disposable.js';
export {
  type EmailIssue,
  type EmailSchema,
  type EmailSchemaOptions,
  emailSchema,
  type Refusal,
} from './engine/address/email-schema.js';
export { loadIdna } from './engine/grammar/idna.js';
export { parseAddress } from './engine/grammar/parse-address.js';
export type { Address, AddressLiteral, ParsedAddress, SyntaxFault } from './model/address.js';
export type { SyntaxCode } from './model/syntax-codes.js';
