import { applyTheme, storedTheme } from './ui/theme.ts'

// Before the first paint, so that the page does not flash in the other theme.
applyTheme(storedTheme())
