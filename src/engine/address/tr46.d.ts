declare module 'tr46' {
  const tr46: import('../grammar/idna-tables.js').IdnaTables;
  export default tr46;
}
