import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { useLoad } from '../../data/use-load.ts'
import { type Language, useLocale } from '../../texts/locale.ts'
import { Await } from '../../ui/notice.tsx'
import type { SettingsTexts } from './texts.en.ts'

const loaders: Readonly<Record<Language, () => Promise<SettingsTexts>>> = {
  en: async () => (await import('./texts.en.ts')).settingsTextsEn,
  de: async () => (await import('./texts.de.ts')).settingsTextsDe,
}

const SettingsTextsContext = createContext<SettingsTexts | null>(null)

/** Loads the texts of settings and jobs, which the other screens do not need, for the components in it. */
export function WithSettingsTexts({ children }: { readonly children: ComponentChildren }) {
  const { language } = useLocale()
  const loaded = useLoad(() => loaders[language](), [language])
  return (
    <Await loaded={loaded}>
      {texts => <SettingsTextsContext.Provider value={texts}>{children}</SettingsTextsContext.Provider>}
    </Await>
  )
}

/** The texts of settings and jobs. */
export function useSettingsTexts(): SettingsTexts {
  const texts = useContext(SettingsTextsContext)
  if (texts === null) throw new Error('Component outside of WithSettingsTexts')
  return texts
}
