import { expect, test } from 'vitest';
import { removedFlags } from '../../../src/cli/flags/removed-flags.js';
import { runCli } from '../run-cli.js';

test.each(Object.entries(removedFlags))('%s says what replaces it', async (flag, replacement) => {
  const [name = ''] = flag.split('=');
  for (const word of new Set([flag, name === flag ? `${flag}=3` : flag])) {
    const { status, err } = await runCli(['bulk', 'list.csv', word]);
    expect([status, err.replace(/\s+/g, ' ')]).toEqual([2, expect.stringContaining(`${flag} is gone. ${replacement}`)]);
  }
});
