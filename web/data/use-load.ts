import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { poll } from './poll.ts'
import { onBack } from './reach.ts'

/** State of something that is loaded: nothing yet, a value, or a failure; a value stays while it is loaded again. */
interface Loaded<T> {
  readonly value: T | null
  readonly error: unknown
  readonly reload: () => void
}

/**
 * Loads a value when the screen opens, when `inputs` change, when the service is reachable again after a failure, and by
 * `reload` or `load`, which returns it. Only the newest attempt changes the state. `read` may show a first part of the value.
 */
export function useLoad<T>(read: (show: (part: T) => void) => Promise<T>, inputs: readonly unknown[]) {
  const [state, setState] = useState<Omit<Loaded<T>, 'reload'>>({ value: null, error: null })
  const newest = useRef({ read, number: 0 })
  newest.current.read = read
  const load = useCallback(async () => {
    const number = ++newest.current.number
    const show = (value: T) => {
      if (number === newest.current.number) setState({ value, error: null })
    }
    try {
      const value = await newest.current.read(show)
      show(value)
      return value
    } catch (error) {
      if (number === newest.current.number) setState(before => ({ ...before, error }))
      throw error
    }
  }, [])
  const reload = useCallback(() => void load().catch(() => undefined), [])
  useEffect(reload, inputs)
  const hasFailed = state.error !== null
  useEffect(() => (hasFailed ? onBack(reload) : undefined), [hasFailed])
  return { ...state, reload, load }
}

/** Loads a value at intervals (ms), and when `inputs` change; the value stays while it is loaded again. */
export function usePolled<T>(everyMs: number, load: () => Promise<T>, inputs: readonly unknown[]): Loaded<T> {
  const [value, setValue] = useState<T | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    let isOver = false
    const read = async () => {
      const loaded = await load()
      // A response from before a change must not replace one from after it.
      if (!isOver) setValue(loaded)
    }
    const end = poll(() => everyMs, setError, read)
    return () => {
      isOver = true
      end()
    }
  }, [...inputs, turn])
  return { value, error, reload: () => setTurn(before => before + 1) }
}
