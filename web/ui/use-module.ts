import type { FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** A component whose module is loaded when it is first shown. */
export interface LazyComponent {
  readonly load: () => Promise<{ readonly screen: FunctionComponent }>
}

const loaded = new WeakMap<LazyComponent, FunctionComponent>()

/** The component, and the failure of loading it; null: not loaded yet, no failure. */
export function useModule(lazy: LazyComponent | null) {
  const [error, setError] = useState<unknown>(null)
  const [, setTurn] = useState(0)
  useEffect(() => {
    setError(null)
    if (lazy === null || loaded.has(lazy)) return
    lazy.load().then(({ screen }) => {
      loaded.set(lazy, screen)
      setTurn(turn => turn + 1)
    }, setError)
  }, [lazy])
  return { component: lazy === null ? null : (loaded.get(lazy) ?? null), error }
}
