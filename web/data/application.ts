import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Language } from '../texts/locale.ts'

/** The whole application, as any part of it may use it. */
export interface Application {
  /** Finds out anew who the viewer is: after signing in, or with a key. Rejects where the key or session is refused. */
  readonly enter: () => Promise<void>
  /** Signs out, or forgets the key. Rejects where the service did not end the session: then the viewer is still signed in. */
  readonly leave: () => Promise<void>
  readonly chooseLanguage: (language: Language) => void
  /** The session or key ended without the viewer's doing. */
  readonly hasEnded: boolean
}

export const ApplicationContext = createContext<Application | null>(null)

/** The whole application. */
export function useApplication(): Application {
  const application = useContext(ApplicationContext)
  if (application === null) throw new Error('A component stands outside of ApplicationContext')
  return application
}
