/** AUC: the probability that a person's name scores higher than a machine-made one. */
export function areaUnderCurve(samples) {
  const sorted = [...samples].sort((one, other) => one.probability - other.probability);
  let [rankSum, people] = [0, 0];
  for (let start = 0; start < sorted.length; ) {
    let end = start;
    while (end < sorted.length && sorted[end].probability === sorted[start].probability) end++;
    const tied = sorted.slice(start, end).filter(({ label }) => label === 1).length;
    rankSum += (tied * (start + 1 + end)) / 2;
    people += tied;
    start = end;
  }
  return (rankSum - (people * (people + 1)) / 2) / (people * (sorted.length - people));
}

/** Expected calibration error over equal bins, weighted so that `machineShare` of the names are machine-made. */
export function calibrationError(samples, machineShare, bins = 15) {
  const people = samples.filter(({ label }) => label === 1).length;
  const weights = [machineShare / (samples.length - people), (1 - machineShare) / people];
  const gaps = new Float64Array(bins);
  for (const { probability, label } of samples)
    gaps[Math.min(bins - 1, Math.floor(probability * bins))] += weights[label] * (probability - label);
  return gaps.reduce((sum, gap) => sum + Math.abs(gap), 0);
}

const threshold = 0.3;
const minGroupSize = 50;

/** Prints statistics of samples { text, label, groups, probability }. Groups below 50 samples are not shown. */
export function printReport(title, samples) {
  const people = samples.filter(({ label }) => label === 1);
  const machines = samples.filter(({ label }) => label === 0);
  console.log(`\n${title}`);
  console.log(`  ${people.length} people, ${machines.length} machine-made; AUC ${areaUnderCurve(samples).toFixed(4)}`);
  for (const share of [0.5, 0.25, 0.1, 0.02])
    console.log(
      `  calibration error at ${percent(share)} machine-made: ${calibrationError(samples, share).toFixed(4)}`,
    );
  console.log(
    `  people below ${threshold}: ${percent(shareBelow(people))}; machine-made below: ${percent(shareBelow(machines))}`,
  );
  for (const [group, members] of groupsOf(people))
    console.log(
      `    ${group.padEnd(34)} ${String(members.length).padStart(6)}   below ${threshold}: ${percent(shareBelow(members))}`,
    );
  for (const [group, members] of groupsOf(machines)) {
    const area = areaUnderCurve([...people, ...members]).toFixed(4);
    console.log(
      `    ${group.padEnd(34)} ${String(members.length).padStart(6)}   below ${threshold}: ${percent(shareBelow(members))}   AUC ${area}`,
    );
  }
}

function groupsOf(samples) {
  const groups = new Map();
  for (const sample of samples) {
    for (const group of sample.groups) {
      if (!groups.has(group)) groups.set(group, []);
      groups.get(group).push(sample);
    }
  }
  return [...groups]
    .filter(([, members]) => members.length >= minGroupSize)
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

function shareBelow(samples) {
  return samples.filter(({ probability }) => probability < threshold).length / samples.length;
}

function percent(share) {
  return `${(100 * share).toFixed(1)}%`;
}
