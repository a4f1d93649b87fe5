import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Viewer } from './viewer.ts'

/** Holds who looks at the application. */
export const ViewerContext = createContext<Viewer | null>(null)

/** The current user or key; available only to screens behind the sign-in. */
export function useViewer(): Viewer {
  const viewer = useContext(ViewerContext)
  if (viewer === null) throw new Error('A screen behind the sign-in stands outside of ViewerContext')
  return viewer
}
