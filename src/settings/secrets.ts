const longKey = 20;

/** A key as it may be shown: at most its last four characters, and none of a short one. */
export function maskSecret(secret: string): string {
  return secret.length >= longKey ? `********${secret.slice(-4)}` : '********';
}

/** The text with every occurrence of the secrets masked, raw or percent-encoded. */
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
