import { describe } from 'vitest';
import { crashSuite } from './crash-suite.js';
import { jobsSuite } from './jobs-suite.js';
import { keysSuite } from './keys-suite.js';
import { membersSuite } from './members-suite.js';
import { sessionsSuite } from './sessions-suite.js';
import type { OpenStoreLab } from './store-lab.js';
import { uploadsSuite } from './uploads-suite.js';

/** What every store must do. */
export function storeSuite(name: string, open: OpenStoreLab): void {
  describe(`store on ${name}`, () => {
    uploadsSuite(open);
    jobsSuite(open);
    keysSuite(open);
    sessionsSuite(open);
    membersSuite(open);
    crashSuite(open);
  });
}
