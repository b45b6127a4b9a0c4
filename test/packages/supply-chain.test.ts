import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

interface Component {
  name: string;
  version: string;
  purl: string;
  licenses: unknown[];
  hashes?: { alg: string; content: string }[];
}

test('the bill of materials has each bundled package once, with its license and hash', () => {
  const { bomFormat, specVersion, serialNumber, components } = JSON.parse(read('dist/sbom.cdx.json')) as {
    bomFormat: string;
    specVersion: string;
    serialNumber: string;
    components: Component[];
  };
  expect([bomFormat, specVersion]).toEqual(['CycloneDX', '1.6']);
  expect(serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  const licensed = [...read('dist/third-party-licenses.txt').matchAll(/^(\S+) (\d\S+) \(.+\)$/gm)];
  const names = (list: string[]) => [...new Set(list)].sort();
  expect(names(components.map(({ name, version }) => `${name}@${version}`))).toEqual(
    names(licensed.map(([, name, version]) => `${name}@${version}`)),
  );
  expect(new Set(components.map(({ purl }) => purl)).size).toBe(components.length);
  expect(components.filter(({ licenses, hashes }) => licenses.length === 0 || hashes?.length !== 1)).toEqual([]);
});
