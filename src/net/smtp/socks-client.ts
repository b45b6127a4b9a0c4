/** Named here, since a package in CommonJS that is imported on demand has no names of its own once it is bundled. */
export { SocksClient } from 'socks';
