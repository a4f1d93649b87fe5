import { useEffect, useMemo, useState } from 'preact/hooks'
import { type Application, ApplicationContext } from '../data/application.ts'
import { useLoad } from '../data/use-load.ts'
import { hasCredentials, ViewerContext } from '../data/viewer.ts'
import type { Language } from '../../schema/languages.ts'
import { storeLanguage, loadLocale, LocaleContext, preferredLanguage } from '../texts/locale.ts'
import { Button } from '../ui/button.tsx'
import { Failure } from '../ui/notice.tsx'
import { CurrentScreen, loadEarly } from './current-screen.tsx'
import { useViewing } from './use-viewing.ts'

/** Shows the screen of the address to the current user, in the selected language. */
export function Root() {
  const { viewer, failure, hasEnded, enter, leave } = useViewing()
  const [language, setLanguage] = useState(preferredLanguage)
  const zone =
    viewer === null || viewer === 'unknown' ? Intl.DateTimeFormat().resolvedOptions().timeZone : viewer.company.timeZone
  const { value: locale, error } = useLoad(() => loadLocale(language, zone), [language, zone])
  useEffect(() => {
    if (hasCredentials()) loadEarly()
  }, [])
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  const application = useMemo<Application>(
    () => ({
      enter,
      leave,
      chooseLanguage(chosen: Language) {
        storeLanguage(chosen)
        setLanguage(chosen)
      },
      hasEnded,
    }),
    [enter, leave, hasEnded],
  )
  if (locale === null) return error === null ? null : <NoTexts />
  return (
    <LocaleContext.Provider value={locale}>
      <ApplicationContext.Provider value={application}>
        {viewer !== 'unknown' ? (
          <ViewerContext.Provider value={viewer}>
            <CurrentScreen />
          </ViewerContext.Provider>
        ) : (
          failure !== null && (
            <main class="narrow">
              <Failure error={failure} />
            </main>
          )
        )}
      </ApplicationContext.Provider>
    </LocaleContext.Provider>
  )
}

/** Shown if the texts could not be loaded; it contains its own. */
function NoTexts() {
  return (
    <main class="narrow">
      <div class="notice problem" role="alert">
        <p>Takt could not be loaded. · Takt konnte nicht geladen werden.</p>
        <Button look="quiet" text="Try again · Noch einmal" onClick={() => location.reload()} />
      </div>
    </main>
  )
}
