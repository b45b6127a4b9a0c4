// Account names of people who contributed to free software: mailboxes, all of them. They tune; the last model was tested on them.
import { peopleInLines } from './mentioned.mjs';
import { linesInPackages, packagesNamed, someOf } from './packages.mjs';
import { filesInSources } from './sources.mjs';

const small = 200_000;

/**
 * Free software that many people of many countries work on, whose sources list those who did with their addresses: chosen for their
 * size, and for developers in East Asia, of whom earlier tests had too few.
 */
const projects =
  `containerd docker.io dpdk edk2 etcd ffmpeg frr git golang-1.19 libvirt mesa nodejs openmpi python-django qemu
  sympy systemd u-boot util-linux wireshark xen`
    .trim()
    .split(/\s+/);
const lists = ['AUTHORS*', 'CONTRIBUTORS*', 'CREDITS*', 'MAINTAINERS*', 'Maintainers.txt', 'THANKS*', '.mailmap'];

/** Those whom large projects list as their contributors. */
export async function contributors(folder) {
  const people = [];
  for (const project of projects)
    people.push(await peopleInLines(plainAddresses(filesInSources(folder, project, lists)), 'contributors'));
  return people.flat();
}

/** Wireshark hides its addresses from robots: `jane[AT]corp.com`. */
async function* plainAddresses(lines) {
  for await (const line of lines) yield line.replaceAll('[AT]', '@');
}

/** The authors of PHP's libraries, by what they say of themselves in their sources. */
export async function phpAuthors(folder) {
  const lines = linesInPackages(folder, packagesNamed(/^php-/, small), '*.php');
  return peopleInLines(lines, 'php libraries', /@(author|copyright)/);
}

/** Those whom the headers of C's libraries name. */
export async function headerAuthors(folder) {
  const packages = packagesNamed(/^lib.*-dev$/, small).filter((name) => !/^lib(rust|ghc)-/.test(name));
  return peopleInLines(linesInPackages(folder, someOf(packages, 2_000), '*/include/*.h'), 'headers');
}
