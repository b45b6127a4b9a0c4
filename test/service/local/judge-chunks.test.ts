import { expect, test } from 'vitest';
import type { BulkAnswer } from '../../../src/model/result.js';
import { bundledEngine } from '../../../src/service/local/validation.js';
import { invalidAddresses } from '../../engine/grammar/invalid-addresses.js';

const emails = [
  ...['jane@corp.com', 'JANE@corp.com', 'jane@corp.com', 'info@corp.com', 'jane+tag@gmail.com', 'jane@gmial.com'],
  ...['jane@mailinator.com', 'jane@x.test', 'hello@corp.com', 'jane@corp.lan', 'jane@[192.0.2.1]', 'jörg@müller.de'],
  ...['mailbox-not-found@sandbox.mailvet.test', '', '\ufffdjane@corp.com'],
  ...Object.values(invalidAddresses).flat(),
];

const pick = ({ result, duplicate }: BulkAnswer) => {
  const { email, status, is_valid, confidence, sub_status, safe_to_send, did_you_mean } = {
    sub_status: '',
    safe_to_send: false,
    did_you_mean: null,
    ...result,
  };
  return { email, status, is_valid, confidence, sub_status, safe_to_send, did_you_mean, duplicate };
};

test('verdicts without details are those with details', async () => {
  const engine = bundledEngine({ level: 'syntax' });
  const vet = async (verdictsOnly: boolean): Promise<BulkAnswer[]> => {
    const answers: BulkAnswer[] = [];
    for await (const batch of engine.validateMany([emails.slice(0, 5), emails.slice(5)], { verdictsOnly }))
      answers.push(...batch);
    return answers;
  };
  const [short, whole] = [await vet(true), await vet(false)];
  expect(short.map(pick)).toEqual(whole.map(pick));
  expect(short.every(({ result }) => !('details' in result))).toBe(true);
  await engine.close();
});
