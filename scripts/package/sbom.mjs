// The bill of materials: the packages whose code is in dist/, as CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/).
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const read = (file) => JSON.parse(readFileSync(join(root, file), 'utf8'));

/** From the folders of packages, such as node_modules/pg. */
export function createSbom(folders) {
  const locked = read('package-lock.json').packages;
  const described = folders.map((folder) => describePackage(read(join(folder, 'package.json')), locked[folder]));
  // The same version may be in several folders.
  return assemble([...new Map(described.map((component) => [component.purl, component])).values()]);
}

/** The same, with Node, for the executable. */
export function withNode({ components }, version) {
  const purl = `pkg:github/nodejs/node@v${version}`;
  const node = { type: 'platform', 'bom-ref': purl, name: 'node', version, purl, licenses: licensesOf('MIT') };
  // The executable has the SQLite of Node.
  return assemble([...components.filter(({ name }) => name !== 'node-sqlite3-wasm'), node]);
}

function assemble(components) {
  const { name, version, license } = read('package.json');
  const purl = `pkg:npm/${name}@${version}`;
  const main = { type: 'application', 'bom-ref': purl, name, version, purl, licenses: licensesOf(license) };
  const digest = createHash('sha256')
    .update(JSON.stringify([main, components]))
    .digest('hex');
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    // Derived from the content, so that equal sources produce equal bytes.
    serialNumber: `urn:uuid:${digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5')}`,
    version: 1,
    metadata: { component: main },
    components,
    dependencies: [{ ref: purl, dependsOn: components.map((component) => component['bom-ref']) }],
  };
}

function describePackage({ name, version, license }, { integrity } = {}) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const [, hash] = /^sha512-(.+)$/.exec(integrity ?? '') ?? [];
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    licenses: licensesOf(license),
    ...(hash && { hashes: [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }] }),
  };
}

function licensesOf(license) {
  return / (?:AND|OR|WITH) /.test(license) ? [{ expression: license }] : [{ license: { id: license } }];
}
