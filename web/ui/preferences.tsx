import { useState } from 'preact/hooks'
import { useApplication } from '../data/application.ts'
import { languages } from '../../schema/languages.ts'
import { languageNames, useLocale } from '../texts/locale.ts'
import { Select } from './field.tsx'
import { chooseTheme, storedTheme, themes } from './theme.ts'

/** Language and colours of this browser. */
export function Preferences() {
  const { t, language } = useLocale()
  const { chooseLanguage } = useApplication()
  const [theme, setTheme] = useState(storedTheme)
  return (
    <div class="preferences">
      <Select
        label={t.app.languageLabel}
        value={language}
        options={languages.map(value => ({ value, title: languageNames[value] }))}
        onValue={chooseLanguage}
      />
      <Select
        label={t.app.theme}
        value={theme}
        options={themes.map(value => ({ value, title: t.app.themes[value] }))}
        onValue={value => {
          chooseTheme(value)
          setTheme(value)
        }}
      />
    </div>
  )
}
