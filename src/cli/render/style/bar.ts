const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar of a width that is filled to a share of 0 to 1; full only where nothing is left. */
export function renderBar(share: number, width: number, unicode: boolean): string {
  const filled = Math.min(Math.max(share, 0), 1) * width;
  const whole = Math.floor(filled);
  if (!unicode) return `${'#'.repeat(whole)}${'.'.repeat(width - whole)}`;
  const part = whole === width ? '' : (eighths[Math.floor((filled - whole) * 8)] ?? '');
  return `${'█'.repeat(whole)}${part}${'░'.repeat(width - whole - part.length)}`;
}
