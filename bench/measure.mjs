// Medians of interleaved runs, and one line of output for each ratio.

/** The median of each contender. They run in turns, so that other load affects all of them. */
export async function interleave(contenders, rounds = 5) {
  const samples = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of Object.entries(contenders)) samples[name].push(await run());
  }
  return Object.fromEntries(Object.entries(samples).map(([name, values]) => [name, median(values)]));
}

/** Milliseconds that `work` takes. */
export async function milliseconds(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** Prints one result, and sends it to `npm run bench` if that is the parent process. */
export function report({ bench, what, ours, peer, peerName, unit, ratio, goal }) {
  const line = { bench, what, ours, peer, peerName, unit, ratio: Number(ratio.toFixed(2)), goal };
  console.log(
    `${bench}: ${what}: ours ${format(ours)} ${unit}, ${peerName} ${format(peer)} ${unit}, ratio ${line.ratio} (goal ${goal})`,
  );
  process.send?.(line);
}

function format(value) {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(2);
}
