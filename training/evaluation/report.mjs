/** The chance that a person's name scores higher than a machine's. */
export function areaUnderCurve(scored) {
  const sorted = [...scored].sort((one, other) => one.probability - other.probability);
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

/** Expected calibration error over 15 equal bins, where this share of the names is machine-made. */
export function calibrationError(scored, machineShare, bins = 15) {
  const people = scored.filter(({ label }) => label === 1).length;
  const weights = [machineShare / (scored.length - people), (1 - machineShare) / people];
  const gaps = new Float64Array(bins);
  for (const { probability, label } of scored)
    gaps[Math.min(bins - 1, Math.floor(probability * bins))] += weights[label] * (probability - label);
  return gaps.reduce((sum, gap) => sum + Math.abs(gap), 0);
}

const low = 0.3;
const fewest = 50;

/** Prints the figures of scored samples { text, label, groups, probability }; groups smaller than 50 say too little to be shown. */
export function printReport(title, scored) {
  const people = scored.filter(({ label }) => label === 1);
  const machines = scored.filter(({ label }) => label === 0);
  console.log(`\n${title}`);
  console.log(`  ${people.length} people, ${machines.length} machine-made; AUC ${areaUnderCurve(scored).toFixed(4)}`);
  for (const share of [0.5, 0.25, 0.1, 0.02])
    console.log(`  calibration error at ${percent(share)} machine-made: ${calibrationError(scored, share).toFixed(4)}`);
  console.log(
    `  people below ${low}: ${percent(shareBelow(people))}; machine-made below: ${percent(shareBelow(machines))}`,
  );
  for (const [group, members] of groupsOf(people))
    console.log(
      `    ${group.padEnd(34)} ${String(members.length).padStart(6)}   below ${low}: ${percent(shareBelow(members))}`,
    );
  for (const [group, members] of groupsOf(machines)) {
    const area = areaUnderCurve([...people, ...members]).toFixed(4);
    console.log(
      `    ${group.padEnd(34)} ${String(members.length).padStart(6)}   below ${low}: ${percent(shareBelow(members))}   AUC ${area}`,
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
  return [...groups].filter(([, members]) => members.length >= fewest).sort(([one], [other]) => (one < other ? -1 : 1));
}

function shareBelow(samples) {
  return samples.filter(({ probability }) => probability < low).length / samples.length;
}

function percent(share) {
  return `${(100 * share).toFixed(1)} %`;
}
