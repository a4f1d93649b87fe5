import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Language } from '../../schema/languages.ts'

/** The whole application, as any part of it may use it. */
export interface Application {
  /** Reloads the current user or key: after sign-in, or with a new key. Rejects if the key or session is invalid. */
  readonly enter: () => Promise<void>
  /** Signs out, or removes the key. Rejects if the service did not end the session. */
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
