/** What replaces flags of earlier versions, kept until the next major version. */
export const removedFlags: Readonly<Record<string, string>> = {
  '--in-place': 'Write a new file and rename it: mailvet bulk list.csv -o new.csv && mv new.csv list.csv',
  '--sample': 'Choose the rows first: shuf -n 1000 list.txt | mailvet bulk',
  '--split-cells': 'Cells with several addresses are counted; --input text finds each address.',
  '--fix': 'Corrections are in the column mailvet_did_you_mean.',
  '--hash': 'Hashes are a field: --fields email_sha256,status',
  '--raw': 'Cells are never changed.',
  '--skip-rows': 'Name the line of the header: --header 3',
  '--no-header': 'Say so with: --header none',
  '--dedupe=provider': 'Use --dedupe, which keeps the first row of each mailbox.',
};

/** The next step for a flag that is gone; null for any other. */
export function replacementFor(flag: string): string | null {
  return removedFlags[flag] ?? removedFlags[flag.replace(/=.*$/s, '')] ?? null;
}
