const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar of `width` columns; `ratio` is 0..1. It looks full only at 1. */
export function renderBar(ratio: number, width: number, unicode: boolean): string {
  const filled = Math.min(Math.max(ratio, 0), 1) * width;
  const whole = Math.floor(filled);
  if (!unicode) return `${'#'.repeat(whole)}${'.'.repeat(width - whole)}`;
  const part = whole === width ? '' : (eighths[Math.floor((filled - whole) * 8)] ?? '');
  return `${'█'.repeat(whole)}${part}${'░'.repeat(width - whole - part.length)}`;
}
