import { useCallback, useEffect, useMemo, useState } from 'preact/hooks'
import { RequestFailed } from '../data/client.ts'
import { forget, recognise, type Viewer } from '../data/viewer.ts'
import { ViewerContext } from '../data/viewer-context.ts'
import {
  keepLanguage,
  type Language,
  loadLocale,
  type Locale,
  LocaleContext,
  preferredLanguage,
} from '../texts/locale.ts'
import { Failure } from '../ui/notice.tsx'
import { type Application, ApplicationContext } from '../data/application.ts'
import { CurrentScreen } from './current-screen.tsx'

const retryMs = 3000

/** Knows who looks at the application and in which language, and shows the screen of the address. */
export function Root() {
  const [locale, setLocale] = useState<Locale | null>(null)
  const [language, setLanguage] = useState(preferredLanguage)
  const [viewer, setViewer] = useState<Viewer | null | 'unknown'>('unknown')
  const [failure, setFailure] = useState<unknown>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const timeZone = viewer === null || viewer === 'unknown' ? undefined : viewer.company.timeZone

  const leave = useCallback((why: string | null) => {
    forget()
    setProblem(why)
    setViewer(null)
  }, [])
  const enter = useCallback(async () => {
    const found = await recognise()
    setFailure(null)
    if (found) {
      found.client.onRefused = () => leave('')
      setProblem(null)
    }
    setViewer(found)
  }, [])
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const attempt = () => {
      enter().catch((error: unknown) => {
        setFailure(error)
        timer = setTimeout(attempt, retryMs)
      })
    }
    // Links within the page change the fragment, too.
    const takeKey = () => {
      if (location.hash.startsWith('#key=')) attempt()
    }
    attempt()
    window.addEventListener('hashchange', takeKey)
    return () => {
      clearTimeout(timer)
      window.removeEventListener('hashchange', takeKey)
    }
  }, [])
  useEffect(() => {
    let isOver = false
    const zone = timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
    loadLocale(language, zone).then(loaded => isOver || setLocale(loaded), setFailure)
    return () => {
      isOver = true
    }
  }, [language, timeZone])
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])

  const application = useMemo<Application>(
    () => ({
      enter,
      leave(why) {
        if (viewer !== null && viewer !== 'unknown' && viewer.kind === 'user')
          viewer.client.call('DELETE /session').catch(() => undefined)
        leave(why ?? null)
      },
      chooseLanguage(chosen: Language) {
        keepLanguage(chosen)
        setLanguage(chosen)
      },
      problem,
    }),
    [enter, viewer, problem],
  )
  if (locale === null) return null
  return (
    <LocaleContext.Provider value={locale}>
      <ApplicationContext.Provider value={application}>
        {viewer !== 'unknown' ? (
          <ViewerContext.Provider value={viewer}>
            <CurrentScreen />
          </ViewerContext.Provider>
        ) : (
          failure !== null &&
          !(failure instanceof RequestFailed && failure.status === 401) && (
            <main class="narrow">
              <Failure error={failure} />
            </main>
          )
        )}
      </ApplicationContext.Provider>
    </LocaleContext.Provider>
  )
}
