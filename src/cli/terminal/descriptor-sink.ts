import { fstatSync, write } from 'node:fs';
import { outputFailure, type Sink } from './terminal.js';

/** Whether text may be written to the descriptor as it is: a file, a pipe or a socket, and no terminal. */
export function isPlainDescriptor(descriptor: number): boolean {
  try {
    const stat = fstatSync(descriptor);
    return process.platform !== 'win32' && (stat.isFile() || stat.isFIFO() || stat.isSocket());
  } catch {
    return false;
  }
}

/** True for a terminal, and for the device that holds nothing. */
export function isDevice(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice();
  } catch {
    return false;
  }
}

/** A descriptor as a sink, without the streams that Node would make of it, which take longer than vetting an address. */
export function descriptorSink(descriptor: number, color: boolean, unicode: boolean): Sink {
  return {
    descriptor,
    isTty: false,
    columns: 80,
    color,
    unicode,
    write: async (data) => {
      let rest: Uint8Array = typeof data === 'string' ? Buffer.from(data) : data;
      while (rest.length > 0) rest = rest.subarray(await writeSome(descriptor, rest));
    },
  };
}

/** How long to leave a reader that is behind, where the descriptor does not wait for it by itself. */
const patienceMs = 5;

function writeSome(descriptor: number, bytes: Uint8Array): Promise<number> {
  return new Promise((resolve, reject) => {
    write(descriptor, bytes, 0, bytes.length, null, (error, written) => {
      if (error === null) resolve(written);
      else if (error.code === 'EAGAIN') setTimeout(() => resolve(0), patienceMs);
      else reject(outputFailure(error, false));
    });
  });
}
