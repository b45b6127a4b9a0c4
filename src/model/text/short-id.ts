/** The beginning of a UUID, or of several with commas; other ids are shown whole. */
export function shortId(id: string): string {
  return id.replace(/(?<![^,])([0-9a-f]{8})-[0-9a-f-]{27}(?![^,])/gi, '$1');
}
