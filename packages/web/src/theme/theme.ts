// Applies the theme that the user chose, before the first paint, and offers the choice in any `<select data-theme-switch>`
// with the values system, light and dark. A classic script of its own, served as /theme.js to all pages: the
// Content-Security-Policy blocks inline scripts, and modules run after the first paint.

const KEY = 'provenance-theme';

function applyTheme(theme: string | null): void {
  const root = document.documentElement;
  if (theme === 'light' || theme === 'dark') root.dataset['theme'] = theme;
  else delete root.dataset['theme'];
  showChoice();
}

function showChoice(): void {
  for (const select of document.querySelectorAll<HTMLSelectElement>('select[data-theme-switch]')) {
    select.value = document.documentElement.dataset['theme'] ?? 'system';
  }
}

function readTheme(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function storeTheme(theme: string): void {
  try {
    if (theme === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // Blocked or full: the theme lasts until the page is left.
  }
}

applyTheme(readTheme());
addEventListener('DOMContentLoaded', showChoice);
document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLSelectElement) || !target.matches('[data-theme-switch]')) return;
  storeTheme(target.value);
  applyTheme(target.value);
});
// Other tabs follow.
addEventListener('storage', ({ key }) => {
  if (key === KEY || key === null) applyTheme(readTheme());
});
