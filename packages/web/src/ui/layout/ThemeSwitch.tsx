// The choice of the theme. /theme.js, which also serves the documents outside this app, applies and stores it.

import { useId } from 'preact/compat';
import * as texts from '#texts/site/layout';

export function ThemeSwitch() {
  const id = useId();
  return (
    <div className="theme-switch">
      <label htmlFor={id}>{texts.theme}</label>
      <select id={id} data-theme-switch defaultValue={document.documentElement.dataset['theme'] ?? 'system'}>
        {(['system', 'light', 'dark'] as const).map((theme) => (
          <option key={theme} value={theme}>
            {texts.themes[theme]}
          </option>
        ))}
      </select>
    </div>
  );
}
