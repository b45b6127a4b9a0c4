import { domainToASCII } from 'node:url';
import type { BulkItem, ValidationResult } from '../model/result.js';

/** The domain that the verdict is about; empty if there is none, or if there are several addresses. */
export function domainOf({
  email,
  sub_status: reason,
  details,
}: BulkItem & Partial<Pick<ValidationResult, 'sub_status' | 'details'>>): string {
  if (reason === 'several_addresses') return '';
  return reason === 'failed_syntax_check' ? wellFormedDomainIn(email) : (details?.domain ?? domainIn(email));
}

/** The domain in lower case and ASCII; empty if there is none. */
export function domainIn(email: string): string {
  if (!email.includes('@')) return '';
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return /[^\0-\x7f]/.test(domain) ? domainToASCII(domain) || domain : domain;
}

/** RFC 1035 §2.3.1, with a top-level domain that is not numeric. */
const domainShape = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** The domain of a malformed address, if only its local part is malformed; empty otherwise. */
function wellFormedDomainIn(email: string): string {
  const domain = domainIn(email.trim());
  return domainShape.test(domain) ? domain : '';
}
