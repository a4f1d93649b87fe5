import { useEffect, useMemo, useState } from 'preact/hooks'
import { type Application, ApplicationContext } from '../data/application.ts'
import { ViewerContext } from '../data/viewer-context.ts'
import {
  storeLanguage,
  type Language,
  loadLocale,
  type Locale,
  LocaleContext,
  preferredLanguage,
} from '../texts/locale.ts'
import { Failure } from '../ui/notice.tsx'
import { CurrentScreen } from './current-screen.tsx'
import { useViewing } from './use-viewing.ts'

/** Knows who looks at the application and in which language, and shows the screen of the address. */
export function Root() {
  const { viewer, failure, hasEnded, enter, leave } = useViewing()
  const [language, setLanguage] = useState(preferredLanguage)
  const timeZone = viewer === null || viewer === 'unknown' ? undefined : viewer.company.timeZone
  const { locale, hasFailed } = useTexts(language, timeZone)
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
  if (locale === null) return hasFailed ? <NoTexts /> : null
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

function useTexts(language: Language, timeZone: string | undefined) {
  const [locale, setLocale] = useState<Locale | null>(null)
  const [hasFailed, setFailed] = useState(false)
  useEffect(() => {
    let isOver = false
    const zone = timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
    loadLocale(language, zone).then(
      loaded => isOver || setLocale(loaded),
      () => isOver || setFailed(true),
    )
    return () => {
      isOver = true
    }
  }, [language, timeZone])
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  return { locale, hasFailed }
}

/** Stands where the texts did not come, so it has its own. */
function NoTexts() {
  return (
    <main class="narrow">
      <div class="notice problem" role="alert">
        <p>Takt could not be loaded. · Takt konnte nicht geladen werden.</p>
        <button type="button" class="button quiet" onClick={() => location.reload()}>
          Try again · Noch einmal
        </button>
      </div>
    </main>
  )
}
