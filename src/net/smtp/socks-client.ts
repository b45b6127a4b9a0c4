/** A named export: the bundler gives a CommonJS package that is imported on demand no names. */
export { SocksClient } from 'socks';
