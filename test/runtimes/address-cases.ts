import { canonical, isFree, isRole, suggest } from '../../src/engine/address/address-facts.js';
import { loadDisposable } from '../../src/engine/address/disposable.js';
import { emailSchema } from '../../src/engine/address/email-schema.js';
import { parseAddress } from '../../src/engine/grammar/parse-address.js';
import { invalidAddresses, mistakes, validAddresses } from '../engine/grammar/known-addresses.js';

/** A call of `mailvet/address`, and the result of the sources on Node. */
export interface AddressCase {
  call: string;
  args: unknown[];
  want: unknown;
}

/** Valid and invalid addresses of public test suites, and our own. */
const syntaxTexts = [
  ...[validAddresses, invalidAddresses].flatMap((table) => Object.values(table).flat()),
  ...mistakes.map(([text]) => text),
];

const listTexts = [
  ...[
    'jane@gmail.com',
    'jane@gmial.com',
    'jane@gmail.con',
    'jane@hotmial.co.uk',
    'jane @gmial,com',
    'jane@example.com',
  ],
  ...['info@python.org', 'no-reply@python.org', 'hello@python.org', 'it-support+x@python.org', 'b.rand@python.org'],
  ...['J.Doe+news@GoogleMail.com', 'j.doe+news@outlook.de', '+jane@gmail.com', 'jane@web.de', 'jane@mail.co.uk'],
  ...[
    'a@mailinator.com',
    'a@sub.mailinator.com',
    'a@guerrillamail.com',
    'a@[192.0.2.1]',
    'a@müller.de',
    'a@bücher.test',
  ],
];

/** Every export, over every text. */
export async function addressCases(): Promise<AddressCase[]> {
  const isDisposable = await loadDisposable();
  const refuse = ['reserved', 'typo', 'role', 'free'] as const;
  return [
    // In upper case as well, which runtimes might fold differently.
    ...[...syntaxTexts, ...syntaxTexts.map((text) => text.toUpperCase())].map((text) => {
      return { call: 'parseAddress', args: [text], want: parseAddress(text) };
    }),
    ...[...listTexts, ...syntaxTexts].flatMap((text) => [
      { call: 'suggest', args: [text], want: suggest(text) },
      { call: 'isRole', args: [text], want: isRole(text) },
      { call: 'isFree', args: [text], want: isFree(text) },
      { call: 'canonical', args: [text], want: canonical(text) },
      { call: 'canonical', args: [text, { provider: true }], want: canonical(text, { provider: true }) },
      { call: 'isDisposable', args: [text], want: isDisposable(text) },
      { call: 'validate', args: [text], want: emailSchema({ refuse })['~standard'].validate(text) },
    ]),
  ];
}
