import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Texts } from './en.ts'
import { createFormat, type Format } from './format.ts'

/** Languages of the application. */
export const languages = ['en', 'de'] as const
export type Language = (typeof languages)[number]

/** Names of the languages, each in itself. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' }

const place = 'takt-language'

const loaders: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
}

/** Texts of a language, and how it writes numbers and times. */
export interface Locale {
  readonly language: Language
  /** The browser's region of the language (BCP 47), which numbers and times follow. */
  readonly region: string
  readonly t: Texts
  readonly format: Format
}

/** The language selected in this browser, otherwise the first available one of the browser's languages. */
export function preferredLanguage(): Language {
  const wanted = [localStorage.getItem(place) ?? '', ...navigator.languages]
  for (const each of wanted) {
    const found = languages.find(language => each.toLowerCase().split('-')[0] === language)
    if (found) return found
  }
  return 'en'
}

/** Keeps the choice in this browser. */
export function keepLanguage(language: Language): void {
  localStorage.setItem(place, language)
}

/** Loads the texts of a language. Numbers and times follow the browser's region of it. */
export async function loadLocale(language: Language, timeZone: string): Promise<Locale> {
  const region = navigator.languages.find(each => each.toLowerCase().split('-')[0] === language) ?? language
  return { language, region, t: await loaders[language](), format: createFormat(region, timeZone) }
}

/** Holds the locale for every component under it. */
export const LocaleContext = createContext<Locale | null>(null)

/** The texts and formats to use. */
export function useLocale(): Locale {
  const locale = useContext(LocaleContext)
  if (locale === null) throw new Error('A component that shows texts stands outside of LocaleContext')
  return locale
}
