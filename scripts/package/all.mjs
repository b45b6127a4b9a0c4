// Builds all packages of this platform. Needs dist/ with its manual pages, and the executable.
import { buildDeb } from './deb.mjs';
import { buildImage } from './image.mjs';
import { buildTarball } from './tarball.mjs';

console.log(buildTarball());
if (process.platform === 'linux') {
  console.log(buildDeb());
  console.log(buildImage());
}
