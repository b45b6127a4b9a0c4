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
  '--since': 'Compare two outputs: mailvet diff OLD NEW',
  '--only-changed': 'Compare two outputs: mailvet diff OLD NEW --only-changed -o changes.csv',
  '--max-gone': 'Compare two outputs: mailvet diff OLD NEW --max-gone 10%',
  '--max-changed': 'Compare two outputs: mailvet diff OLD NEW --max-changed 30%',
  '--min-rows': 'Compare two outputs: mailvet diff OLD NEW --min-rows 80%',
  '--report': 'Write the page of an output or a job: mailvet report FILE -o report.html',
  '--resume': 'Give the same command again: it continues an interrupted run. --fresh starts again.',
  '--only-unknown': 'Unknown addresses are asked again by: --max-age 30d',
  '--part': 'Give the same command again: it sends what was not sent.',
  '--new': 'Use --fresh to start again.',
  '--rejects': 'Use --clean, which writes NAME.clean.csv, NAME.review.csv and NAME.rejected.csv.',
  '--send-invalid': 'What cannot be an address is never sent, nor paid.',
  '--retry-billable': 'What may have been paid is never sent again by itself; --max-age 1d asks what has no answer.',
  '--dedupe=provider': 'Use --dedupe, which keeps the first row of each mailbox.',
};

/** The next step for a flag that is gone; null for any other. */
export function replacementFor(flag: string): string | null {
  return removedFlags[flag] ?? removedFlags[flag.replace(/=.*$/s, '')] ?? null;
}
