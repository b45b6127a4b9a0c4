import { expect, test } from 'vitest';
import { roleOf } from '../../../src/engine/lists/roles.js';

test.each([
  ['info', 'info'],
  ['INFO', 'info'],
  ['Info+news', 'info'],
  ['dpo', 'dpo'],
  ['postmaster', 'postmaster'],
  ['no-reply', 'noreply'],
  ['no_reply', 'noreply'],
  ['no.reply', 'noreply'],
  ['noreply', 'noreply'],
  ['noreply-dmarc', 'noreply'],
  ['orders-no-reply', 'noreply'],
  ['do-not-reply', 'donotreply'],
  ['customer.service', 'customerservice'],
  ['customer-service', 'customerservice'],
  ['help_desk', 'helpdesk'],
  ['web-master', 'webmaster'],
  ['it-support', 'itsupport'],
  ['hr', 'hr'],
  ['datenschutz', 'datenschutz'],
])('%s is the role %s', (localPart, want) => {
  const plus = localPart.indexOf('+');
  expect(roleOf(localPart, plus === -1 ? null : localPart.slice(plus + 1))).toBe(want);
});

test.each([
  ...['alexa', 'alla', 'arin', 'gardner', 'reg', 'per', 'sem', 'paris', 'sydney', 'india', 'china', 'berlin'],
  ...['b.rand', 's.port', 'c.are', 'm.edia', 'jane.doe', 'info.jane', 'janeinfo', 'ap', 'md', 'la', '2024', 'abc'],
  ...['facebook', 'paypal', '', '.', '+', 'constructor', 'replya', 'jörg', '"in fo"'],
])('%s is not a role', (localPart) => expect(roleOf(localPart, null)).toBeNull());
