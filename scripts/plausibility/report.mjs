// How good a model is: ranking, calibration, mistakes by group, fairness.

/** The chance that a person's mailbox scores above a machine's. */
export function areaUnderCurve(scored) {
  const sorted = [...scored].sort((one, other) => one.probability - other.probability);
  let rankSum = 0;
  let people = 0;
  sorted.forEach(({ label }, index) => {
    if (label === 0) return;
    rankSum += index + 1;
    people++;
  });
  return (rankSum - (people * (people + 1)) / 2) / (people * (sorted.length - people));
}

/** Expected calibration error over 15 equal bins. */
export function calibrationError(scored, bins = 15) {
  const gaps = new Float64Array(bins);
  for (const { probability, label } of scored)
    gaps[Math.min(bins - 1, Math.floor(probability * bins))] += probability - label;
  return gaps.reduce((sum, gap) => sum + Math.abs(gap), 0) / scored.length;
}

/** Prints the figures of one fold: the whole, then group by group with the worst mistakes, then fairness over origins. */
export function printReport(title, scored, notOrigins) {
  console.log(`\n${title}`);
  console.log(`  ${figures(scored)}, ${scored.length} samples`);
  const groups = Object.values(byGroup(scored)).map(mistakes);
  groups.sort((one, other) => other.label - one.label || other.rate - one.rate);
  for (const { group, label, rate, worst } of groups) {
    const examples = worst.map(({ text, probability }) => `${text} ${probability.toFixed(2)}`).join('  ');
    const kind = label === 1 ? 'people ' : 'machine';
    console.log(`  ${kind} ${group.padEnd(32)} wrong ${percent(rate).padStart(6)}   ${examples}`);
  }
  const rates = groups.filter(({ label, group }) => label === 1 && !notOrigins.includes(group)).map(({ rate }) => rate);
  const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  const largest = Math.max(...rates);
  const ratio = (largest / mean).toFixed(2);
  console.log(
    `  false gibberish by origin: ${rates.length} groups, mean ${percent(mean)}, largest ${percent(largest)}, ${ratio} × the mean`,
  );
}

/** `AUC 0.9870, ECE 0.0100`. */
export function figures(scored) {
  return `AUC ${areaUnderCurve(scored).toFixed(4)}, ECE ${calibrationError(scored).toFixed(4)}`;
}

function byGroup(scored) {
  const groups = {};
  for (const sample of scored) {
    const key = `${sample.label} ${sample.group}`;
    groups[key] ??= [];
    groups[key].push(sample);
  }
  return groups;
}

function mistakes(members) {
  const [{ group, label }] = members;
  const wrong = members.filter(({ probability }) => (probability >= 0.5 ? 1 : 0) !== label);
  const worst = wrong.sort((one, other) => far(other) - far(one)).slice(0, 5);
  return { group, label, rate: wrong.length / members.length, worst };
}

function far({ probability, label }) {
  return Math.abs(probability - label);
}

function percent(share) {
  return `${(100 * share).toFixed(1)} %`;
}
