// Addresses per second of parseAddress, which diagnoses, compared with validators that only say yes or no, on one mixed list.
// Run `npm run build` and `cd bench && npm install --ignore-scripts` first.
import { isEmailValid } from '@hapi/address';
import emailValidator from 'email-validator';
import isemail from 'isemail';
import mailchecker from 'mailchecker';
import validator from 'validator';
import { parseAddress } from '../dist/index.js';
import { interleave, report } from './measure.mjs';

const rounds = 15;
const size = 20_000;
const list = mixedList(size);

const contenders = {
  mailvet: (address) => parseAddress(address).ok,
  'validator.js': (address) => validator.isEmail(address),
  'email-validator': (address) => emailValidator.validate(address),
  '@hapi/address': (address) => isEmailValid(address, { tlds: false }),
  isemail: (address) => isemail.validate(address),
  mailchecker: (address) => mailchecker.isValid(address),
};

const rates = await interleave(
  Object.fromEntries(Object.entries(contenders).map(([name, validate]) => [name, () => addressesPerSecond(validate)])),
  rounds,
);
const goals = { 'validator.js': '>= 3, aim 6', 'email-validator': 'aim 1' };
for (const [peerName, peer] of Object.entries(rates)) {
  if (peerName === 'mailvet') continue;
  report({
    bench: 'syntax',
    what: 'mixed list of addresses',
    ours: rates.mailvet,
    peer,
    peerName,
    unit: 'addresses/s',
    ratio: rates.mailvet / peer,
    goal: goals[peerName] ?? 'none',
  });
}

function addressesPerSecond(validate) {
  let valid = 0;
  const start = performance.now();
  for (const address of list) if (validate(address)) valid++;
  const seconds = (performance.now() - start) / 1000;
  if (valid < size / 2) throw new Error('The list is mostly invalid.');
  return size / seconds;
}

/** A typical list: mostly plain, some tagged or in capitals, a few international or quoted, 1 in 13 malformed. */
function mixedList(count) {
  const first = ['anna', 'bo', 'christopher', 'd', 'elif', 'francesca', 'hans-peter', 'ines_maria', 'jean.luc'];
  const last = ['berg', 'o.connor', 'silva', 'ng', 'papadopoulos', 'w', 'van.der.meer', 'kowalczyk'];
  const hosts = ['gmail.com', 'mail.example-firm.co.uk', 'outlook.com', 'uni-example.de', 'a.io', 'news.example.org'];
  const shapes = [
    ...Array(80).fill((name, host) => `${name}@${host}`),
    ...Array(4).fill((name, host) => `${name}+list@${host}`),
    ...Array(4).fill((name, host) => `${name.toUpperCase()}@${host.toUpperCase()}`),
    (name, host) => `guðrún.${name}@${host}`,
    (name) => `${name}@bücher.example`,
    (name) => `${name}@почта.рф`,
    (name, host) => `"${name} jr"@${host}`,
    (name) => `${name}@[192.0.2.25]`,
    (name, host) => `${name} ${name}@${host}`,
    (name, host) => `${name}.${host}`,
    (name, host) => `${name}@${host}.`,
    (name, host) => `${name}..x@${host}`,
    (name) => `${name}@localhost`,
    (name, host) => `${name}@@${host}`,
    (name, host) => `Name <${name}@${host}>`,
    (name, host) => ` ${name}@${host}`,
  ];
  return Array.from({ length: count }, (_, i) => {
    const name = `${first[i % first.length]}.${last[i % last.length]}${i}`;
    return shapes[(i * 37) % shapes.length](name, hosts[i % hosts.length]);
  });
}
