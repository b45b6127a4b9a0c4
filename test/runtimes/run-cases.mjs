// Runs in any JavaScript runtime: nothing here, or in what it imports, may need Node.

/** The cases that `mailvet/address` answers differently, as lines; an empty list is success. */
export async function runCases(address, cases) {
  await address.loadIdna();
  const isDisposable = await address.loadDisposable();
  const { validate } = address.emailSchema({ refuse: ['reserved', 'typo', 'role', 'free'] })['~standard'];
  const calls = { ...address, isDisposable, validate };
  return cases.flatMap(({ call, args, want }) => {
    const [got, wanted] = [calls[call](...args), want].map((value) => JSON.stringify(value));
    return got === wanted ? [] : [`${call}(${JSON.stringify(args)}): ${got}, not ${wanted}`];
  });
}
