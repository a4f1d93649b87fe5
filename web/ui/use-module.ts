import type { FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** A component whose module is loaded when it is first shown. */
export interface LazyComponent<Props = object> {
  readonly load: () => Promise<{ readonly screen: FunctionComponent<Props> }>
}

const loaded = new WeakMap<object, unknown>()

/** The component, and the failure of loading it; null: not loaded yet, no failure. */
export function useModule<Props>(lazy: LazyComponent<Props> | null) {
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
  const known = lazy === null ? undefined : loaded.get(lazy)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each entry is of its key
  return { component: (known ?? null) as FunctionComponent<Props> | null, error }
}
