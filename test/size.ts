/** True in `.ci/nightly`, where a test does what takes too long before each change. */
export const isNightly = process.env['MAILVET_TESTS'] === 'nightly';

/** How much of its work a test does before each change, and in `.ci/nightly`. */
export const amount = (each: number, nightly: number): number => (isNightly ? nightly : each);
