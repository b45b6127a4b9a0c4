// Shared by the benchmarks: medians of interleaved runs, and one way to print ratios.

/** Runs each contender `rounds` times in turn, so that noise hits all alike, and gives the median of each. */
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

/** Prints one line of result, and hands it to `npm run bench` where that started us. */
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
