import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Language } from '../../texts/locale.ts'
import type { SettingsTexts } from './texts.en.ts'

const loaders: Readonly<Record<Language, () => Promise<SettingsTexts>>> = {
  en: async () => (await import('./texts.en.ts')).settingsTextsEn,
  de: async () => (await import('./texts.de.ts')).settingsTextsDe,
}

/** Loads the texts of settings and jobs, which the other screens do not need. */
export function loadSettingsTexts(language: Language): Promise<SettingsTexts> {
  return loaders[language]()
}

export const SettingsTextsContext = createContext<SettingsTexts | null>(null)

/** The texts of settings and jobs. */
export function useSettingsTexts(): SettingsTexts {
  const texts = useContext(SettingsTextsContext)
  if (texts === null) throw new Error('A component stands outside of SettingsTextsContext')
  return texts
}
