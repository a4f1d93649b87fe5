/** Themes that can be chosen; `system` follows the device. */
export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const place = 'takt-theme'

/** The theme that was chosen in this browser. */
export function storedTheme(): Theme {
  const kept = localStorage.getItem(place)
  return themes.find(theme => theme === kept) ?? 'system'
}

/** Shows the page in the theme. */
export function applyTheme(theme: Theme): void {
  const { dataset } = document.documentElement
  if (theme === 'system') delete dataset['theme']
  else dataset['theme'] = theme
}

/** Chooses a theme for this browser. */
export function chooseTheme(theme: Theme): void {
  localStorage.setItem(place, theme)
  applyTheme(theme)
}
