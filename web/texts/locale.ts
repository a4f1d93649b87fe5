import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { type Language, languages } from '../../schema/languages.ts'
import type { Texts } from './en.ts'
import { createFormat, type Format } from './format.ts'

/** Name of each language in that language. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' }

const storageKey = 'takt-language'

const loaders: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
}

/** Texts of a language, and its formats of numbers and times. */
export interface Locale {
  readonly language: Language
  /** The browser's locale of the language (BCP 47), such as en-GB, which determines the formats. */
  readonly region: string
  readonly t: Texts
  readonly format: Format
}

/** Returns the language selected in this browser, otherwise the first available language of the browser's languages. */
export function preferredLanguage(): Language {
  const candidates = [localStorage.getItem(storageKey) ?? '', ...navigator.languages]
  for (const each of candidates) {
    const found = languages.find(language => each.toLowerCase().split('-')[0] === language)
    if (found) return found
  }
  return 'en'
}

/** Stores the selected language in this browser. */
export function storeLanguage(language: Language): void {
  localStorage.setItem(storageKey, language)
}

/** Loads the texts of a language, and creates the formats by the browser's locale of that language. */
export async function loadLocale(language: Language, timeZone: string): Promise<Locale> {
  const region = navigator.languages.find(each => each.toLowerCase().split('-')[0] === language) ?? language
  return { language, region, t: await loaders[language](), format: createFormat(region, timeZone) }
}

/** The locale of all components. */
export const LocaleContext = createContext<Locale | null>(null)

/** Returns the texts and formats of the current language. */
export function useLocale(): Locale {
  const locale = useContext(LocaleContext)
  if (locale === null) throw new Error('useLocale was called outside of LocaleContext.Provider')
  return locale
}
