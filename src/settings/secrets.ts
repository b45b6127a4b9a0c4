const longKey = 20;

/** Shows at most the last four characters, and none of a short secret. */
export function maskSecret(secret: string): string {
  return secret.length >= longKey ? `********${secret.slice(-4)}` : '********';
}

/** Masks every occurrence of the secrets, raw or percent-encoded. */
export function redact(text: string, secrets: readonly string[]): string {
  let safe = text;
  for (const secret of secrets) {
    if (secret === '') continue;
    safe = safe.replaceAll(secret, maskSecret(secret));
    const encoded = encodeURIComponent(secret);
    if (encoded !== secret) safe = safe.replaceAll(encoded, maskSecret(secret));
  }
  return safe;
}
