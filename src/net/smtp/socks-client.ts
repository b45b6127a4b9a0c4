/** A named export, since the bundler exports no names from a CommonJS package that is imported on demand. */
export { SocksClient } from 'socks';
