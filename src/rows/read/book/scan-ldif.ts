import type { RowScanner } from '../row-reader.js';
import { createBookScanner } from './scan-book.js';

const mailNames =
  'e?mail(?:address)?|mailalternateaddress|rfc822mailbox|othermailbox|proxyaddresses|mozillasecondemail';
const mailAttribute = new RegExp(`^(?:${mailNames})$`);
/** An empty line ends an entry, and `-` a part of a change record. */
const readLine = new RegExp(`^(?:-?$|(?:dn|cn|displayname|delete|${mailNames})(?:[;:]|$))`, 'i');

/** RFC 2849: the value is in a file, `mail:< file:///…`. */
const valueUrl = /^<\s*(?:file|ftp|https?|ldaps?):/i;

/** Scans LDIF (RFC 2849): a row for each mail value, with the cn, or else the displayName, of its entry. */
export function createLdifScanner(): RowScanner {
  /** True within the part of a change record that removes values. */
  let isRemoved = false;
  return createBookScanner({
    isRead: (line) => readLine.test(line),
    read: (line, entry) => {
      const [, attribute = '', mark = '', text = ''] = /^([\w.-]+)(?:;[\w.;-]+)?:(:?)(.*)$/s.exec(line) ?? [];
      const value = mark === '' ? text.trim() : Buffer.from(text, 'base64').toString();
      const name = attribute.toLowerCase();
      if (line === '' || line === '-' || name === 'dn') isRemoved = false;
      // The blocks before and after the entries of an export have no name (dn).
      if (line === '') entry.finish();
      else if (name === 'dn') entry.begin();
      else if (name === 'cn') entry.setName(value);
      else if (name === 'displayname') entry.setOtherName(value);
      else if (name === 'delete') isRemoved = true;
      else if (!isRemoved && mailAttribute.test(name) && !valueUrl.test(text))
        entry.addEmail(name === 'proxyaddresses' ? smtpAddress(value) : value);
    },
  });
}

/** Active Directory also lists addresses of other systems: `X500:…`, `sip:…`. */
function smtpAddress(value: string): string {
  const [, type = 'smtp', address = ''] = /^(?:([\w-]+):)?(.*)$/s.exec(value) ?? [];
  return type.toLowerCase() === 'smtp' ? address : '';
}
