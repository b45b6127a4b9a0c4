// Builds an OCI image without a daemon, with umoci: the executable and the libraries that it is linked with. The
// Containerfile builds the same with a daemon.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { executable } from './executable.mjs';
import { output, root } from './node.mjs';
import { sourceDate, version } from './tree.mjs';

const architecture = { x64: 'amd64', arm64: 'arm64' }[process.arch];
/** The same as in the Containerfile. */
const user = '65532';

/** Needs dist/ with its manual pages, and the executable. Returns the path of an archive of the image. */
export function buildImage() {
  const work = mkdtempSync(join(output, 'image-'));
  try {
    const layer = writeLayer(work);
    const layout = join(work, 'layout');
    const image = `${layout}:${version}`;
    const umoci = (...args) => execFileSync('umoci', args, { stdio: ['ignore', 'ignore', 'inherit'] });
    const date = new Date(sourceDate * 1000).toISOString();
    umoci('init', '--layout', layout);
    umoci('new', '--image', image);
    umoci('raw', 'add-layer', '--image', image, '--history.created', date, layer);
    umoci('config', '--image', image, '--created', date, '--history.created', date, ...configuration());
    umoci('gc', '--layout', layout);
    const archive = join(output, `mailvet-${version}-linux-${process.arch}.image.tar`);
    tar(layout, archive);
    return archive;
  } finally {
    rmSync(work, { recursive: true });
  }
}

function configuration() {
  const values = {
    'config.user': `${user}:${user}`,
    'config.workingdir': '/data',
    'config.volume': '/data',
    'config.exposedports': '8080/tcp',
    architecture,
    os: 'linux',
  };
  const repeated = {
    'config.env': ['PATH=/usr/bin', 'MAILVET_HOME=/data', 'MAILVET_CONFIG_DIR=/data/config'],
    'config.cmd': ['mailvet', 'serve', '--host', '0.0.0.0'],
    'config.label': [
      'org.opencontainers.image.title=mailvet',
      `org.opencontainers.image.version=${version}`,
      'org.opencontainers.image.source=https://github.com/mailvet/mailvet',
      'org.opencontainers.image.licenses=MIT',
    ],
  };
  const flags = Object.entries(values).flatMap(([name, value]) => [`--${name}`, value]);
  return [...flags, ...Object.entries(repeated).flatMap(([name, all]) => all.flatMap((value) => [`--${name}`, value]))];
}

function writeLayer(work) {
  const files = join(work, 'root');
  const copy = (from, to) => {
    mkdirSync(dirname(join(files, to)), { recursive: true });
    cpSync(from, join(files, to), { recursive: true });
  };
  const write = (path, text) => {
    mkdirSync(dirname(join(files, path)), { recursive: true });
    writeFileSync(join(files, path), text);
  };
  copy(executable, 'usr/bin/mailvet');
  for (const path of librariesOf(executable)) copy(realpathSync(path), path);
  copy(join(root, 'dist/man'), 'usr/share/man/man1');
  for (const name of ['LICENSE', 'dist/third-party-licenses.txt'])
    copy(join(root, name), `usr/share/doc/mailvet/${name}`);
  for (const name of ['libc6', 'libstdc++6', 'libgcc-s1']) {
    copy(realpathSync(`/usr/share/doc/${name}/copyright`), `usr/share/doc/${name}/copyright`);
  }
  write('etc/passwd', `root:x:0:0::/:/sbin/nologin\nmailvet:x:${user}:${user}::/data:/sbin/nologin\n`);
  write('etc/group', `root:x:0:\nmailvet:x:${user}:\n`);
  write('etc/nsswitch.conf', 'hosts: files dns\n');
  for (const folder of ['data', 'dev', 'proc', 'sys', 'tmp']) mkdirSync(join(files, folder));
  execFileSync('chmod', ['-R', 'u=rwX,go=rX', files]);
  chmodSync(join(files, 'tmp'), 0o1777);
  chmodSync(join(files, 'data'), 0o700);
  const layer = join(work, 'layer.tar');
  tar(files, layer, ['--exclude=./data']);
  // Only the data belongs to the user.
  const owner = [`--owner=${user}`, `--group=${user}`, '--numeric-owner', `--mtime=@${sourceDate}`];
  execFileSync('tar', ['-C', files, ...owner, '-rf', layer, './data']);
  return layer;
}

/** Packs the content of a folder, always in the same order and with the same owner and time. */
function tar(folder, archive, flags = []) {
  const fixed = ['--sort=name', `--mtime=@${sourceDate}`, '--owner=0', '--group=0', '--numeric-owner'];
  execFileSync('tar', ['-C', folder, ...fixed, ...flags, '-cf', archive, '.']);
}

/** The paths under which the loader looks for them. */
function librariesOf(program) {
  const listed = execFileSync('ldd', [program], { encoding: 'utf8' });
  return [...listed.matchAll(/(\/\S+) \(0x/g)].map((match) => match[1]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(buildImage());
