// Prepares a release: version, changelog, commit and tag. The workflow builds and publishes what the tag names.
//   npm run release -- VERSION             runs .ci/nightly first; then: git push --follow-tags
//   npm run release -- VERSION --dry-run   changes nothing; builds the packages of this platform into build/release
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeManifests } from './package/manifests.mjs';
import { npm, output, root } from './package/node.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { 'dry-run': { type: 'boolean' } } });
const isDryRun = values['dry-run'] === true;
const current = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
const version = positionals[0] ?? current;
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

const problems = findProblems();
for (const problem of problems) console.error(`${isDryRun ? 'would stop' : 'error'}: ${problem}`);
if (isDryRun) dryRun();
else if (problems.length === 0) release();
process.exitCode = isDryRun || problems.length === 0 ? 0 : 2;

function findProblems() {
  const today = heading();
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  return [
    !/^\d+\.\d+\.\d+(?:-[0-9A-Za-z.]+)?$/.test(version) && `${version} is not a version such as 1.2.3.`,
    git('status', '--porcelain') !== '' && 'There are changes that are not committed.',
    git('tag', '--list', `v${version}`) !== '' && `The tag v${version} exists.`,
    !changelog.includes(`## ${version} (unreleased)`) && `CHANGELOG.md has no section "## ${version} (unreleased)".`,
    changelog.includes(today) && `CHANGELOG.md has the section "${today}" already.`,
  ].filter(Boolean);
}

function heading() {
  return `## ${version} (${new Date().toISOString().slice(0, 10)})`;
}

function release() {
  execFileSync('bash', [join(root, '.ci/nightly')], { stdio: 'inherit' });
  if (version !== current) npm('version', version, '--no-git-tag-version', '--silent');
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  writeFileSync(join(root, 'CHANGELOG.md'), changelog.replace(`## ${version} (unreleased)`, heading()));
  git('commit', '--all', '--message', `chore: release ${version}`);
  git('tag', '--annotate', `v${version}`, '--message', `mailvet ${version}`);
  console.log(`Tagged v${version}. Publish it with: git push --follow-tags`);
}

function dryRun() {
  const folder = join(output, 'release');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  npm('run', 'build:packages', '--silent');
  npm('pack', '--silent', '--pack-destination', folder);
  const packages = readdirSync(output).filter((name) => /^mailvet[-_].*\.(?:tar\.gz|deb|tar|zip)$/.test(name));
  for (const name of packages) copyFileSync(join(output, name), join(folder, name));
  copyFileSync(join(root, 'dist/sbom.cdx.json'), join(folder, 'sbom.cdx.json'));
  writeManifests(folder);
  console.log(`Version    ${current} → ${version}
Changelog  ${heading()}
Tag        v${version} on ${git('rev-parse', '--short', 'HEAD')}
npm        mailvet@${version}, with provenance, by the workflow
Release    with the packages of all platforms; those of ${process.platform}-${process.arch} are in ${folder}:`);
  const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8');
  for (const name of readdirSync(folder).sort()) {
    const [sum = ''] = sums.split('\n').filter((line) => line.endsWith(`  ${name}`));
    const megabytes = (statSync(join(folder, name)).size / 1e6).toFixed(2).padStart(8);
    console.log(`${megabytes} MB  ${name}${sum === '' ? '' : `  sha256:${sum.slice(0, 16)}…`}`);
  }
}
