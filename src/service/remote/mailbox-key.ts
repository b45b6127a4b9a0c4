/** Equal for two spellings of one mailbox; a text that is no address stands for itself. */
export function keyOfAddress(email: string): string {
  return email.toLowerCase();
}
