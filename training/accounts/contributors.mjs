// Mailboxes of contributors to free software: tuning data, the test set of an earlier model.
import { readPeople } from './mentioned.mjs';
import { hashOrderedSample, linesInPackages, packagesNamed } from './packages.mjs';
import { filesInSources } from './sources.mjs';

const smallBytes = 200_000;

/** Large international projects whose sources list contributors with addresses; several have many developers in East Asia. */
const projects =
  `containerd docker.io dpdk edk2 etcd ffmpeg frr git golang-1.19 libvirt mesa nodejs openmpi python-django qemu
  sympy systemd u-boot util-linux wireshark xen`
    .trim()
    .split(/\s+/);
const lists = ['AUTHORS*', 'CONTRIBUTORS*', 'CREDITS*', 'MAINTAINERS*', 'Maintainers.txt', 'THANKS*', '.mailmap'];

/** Contributors that large projects list. */
export async function contributors(folder) {
  const people = [];
  for (const project of projects)
    people.push(await readPeople(plainAddresses(filesInSources(folder, project, lists)), 'contributors'));
  return people.flat();
}

/** Wireshark obfuscates addresses: `jane[AT]corp.com`. */
async function* plainAddresses(lines) {
  for await (const line of lines) yield line.replaceAll('[AT]', '@');
}

/** Authors of PHP libraries, from their sources. */
export async function phpAuthors(folder) {
  const lines = linesInPackages(folder, packagesNamed(/^php-/, smallBytes), '*.php');
  return readPeople(lines, 'php libraries', /@(author|copyright)/);
}

/** People named in C headers. */
export async function headerAuthors(folder) {
  const packages = packagesNamed(/^lib.*-dev$/, smallBytes).filter((name) => !/^lib(rust|ghc)-/.test(name));
  return readPeople(linesInPackages(folder, hashOrderedSample(packages, 2_000), '*/include/*.h'), 'headers');
}
