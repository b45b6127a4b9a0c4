/** What the user chose; `system` follows the system's own. */
export type Theme = 'system' | 'light' | 'dark';

export const themes: readonly Theme[] = ['system', 'light', 'dark'];
const place = 'mailvet-theme';

/** The choice that this browser remembers. */
export function chosenTheme(): Theme {
  try {
    const kept = localStorage.getItem(place);
    return themes.find((theme) => theme === kept) ?? 'system';
  } catch {
    // A browser that keeps nothing for pages.
    return 'system';
  }
}

/** Shows the page in it. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

/** The same, and remembers it. */
export function chooseTheme(theme: Theme): void {
  applyTheme(theme);
  try {
    localStorage.setItem(place, theme);
  } catch {
    // It holds until the page is left.
  }
}
