import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { Client } from '../data/client.ts'
import { poll } from '../data/poll.ts'
import { forget, recognise, refreshed, signOut, isSessionEvent, type Viewer } from '../data/viewer.ts'

const retryMs = 3000
/** Interval for refreshing name, time zone, start of day and scopes. */
const refreshMs = 5 * 60_000

/** The current user or key. */
export interface Viewing {
  /** null: not signed in; 'unknown': not loaded yet. */
  readonly viewer: Viewer | null | 'unknown'
  readonly failure: unknown
  readonly hasEnded: boolean
  readonly enter: () => Promise<void>
  readonly leave: () => Promise<void>
}

/** Finds out who looks at the application, and follows it: also what other tabs do. */
export function useViewing(): Viewing {
  const [viewer, setViewer] = useState<Viewer | null | 'unknown'>('unknown')
  const [failure, setFailure] = useState<unknown>(null)
  const [hasEnded, setEnded] = useState(false)
  const isKnown = useRef(false)
  isKnown.current = viewer !== null && viewer !== 'unknown'

  const attempts = useRef(new AbortController())
  const current = useRef<Client | null>(null)

  const enter = useCallback(async () => {
    // The latest attempt alone counts, whatever order the answers come in.
    attempts.current.abort()
    const attempt = new AbortController()
    attempts.current = attempt
    const found = await recognise(attempt.signal).catch((error: unknown) => {
      if (attempt.signal.aborted) return 'aborted' as const
      throw error
    })
    if (found === 'aborted' || attempt.signal.aborted) return
    setFailure(null)
    current.current = found?.client ?? null
    if (found) {
      found.client.onRefused = () => {
        // Another sign-in has happened since the request of this client.
        if (current.current !== found.client) return
        forget(found.client)
        setEnded(true)
        setViewer(null)
      }
      setEnded(false)
    }
    setViewer(found)
  }, [])
  const leave = useCallback(async () => {
    if (viewer === null || viewer === 'unknown') return
    await signOut(viewer)
    setEnded(false)
    await enter()
  }, [viewer])
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const attempt = () => {
      enter().catch((error: unknown) => {
        setFailure(error)
        timer = setTimeout(attempt, retryMs)
      })
    }
    // Links within the page change the fragment, too.
    const onKeyInUrl = () => {
      if (location.hash.startsWith('#key=')) attempt()
    }
    const onStorageChange = (event: StorageEvent) => {
      if (!isSessionEvent(event)) return
      setEnded(isKnown.current)
      attempt()
    }
    attempt()
    window.addEventListener('hashchange', onKeyInUrl)
    window.addEventListener('storage', onStorageChange)
    return () => {
      clearTimeout(timer)
      window.removeEventListener('hashchange', onKeyInUrl)
      window.removeEventListener('storage', onStorageChange)
    }
  }, [])
  useRefresh(viewer, setViewer)
  return { viewer, failure, hasEnded, enter, leave }
}

/** Reads the viewer's settings again now and then. */
function useRefresh(viewer: Viewer | null | 'unknown', onChange: (viewer: Viewer) => void): void {
  useEffect(() => {
    if (viewer === null || viewer === 'unknown') return
    let isFirst = true
    return poll(
      () => refreshMs,
      () => undefined,
      async () => {
        // The settings have just been read.
        if (isFirst) return void (isFirst = false)
        const now = await refreshed(viewer)
        if (textOf(now) !== textOf(viewer)) onChange(now)
      },
    )
  }, [viewer])
}

function textOf(viewer: Viewer): string {
  return JSON.stringify({ ...viewer, client: null, historyShare: null })
}
