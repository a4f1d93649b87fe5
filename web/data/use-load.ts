import { useCallback, useEffect, useState } from 'preact/hooks'
import { poll } from './poll.ts'
import { onBack } from './reach.ts'

/** State of something that is loaded: nothing yet, a value, or a failure; a value stays while it is loaded again. */
interface Loaded<T> {
  readonly value: T | null
  readonly error: unknown
  readonly reload: () => void
}

/** Loads something when the screen opens, when `inputs` change, when the service is back after it failed, and when it is asked to. */
export function useLoad<T>(load: () => Promise<T>, inputs: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<{ readonly value: T | null; readonly error: unknown }>({
    value: null,
    error: null,
  })
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    let isOver = false
    load().then(
      value => isOver || setState({ value, error: null }),
      (error: unknown) => isOver || setState(before => ({ ...before, error })),
    )
    return () => {
      isOver = true
    }
  }, [...inputs, turn])
  const reload = useCallback(() => setTurn(before => before + 1), [])
  const hasFailed = state.error !== null
  useEffect(() => (hasFailed ? onBack(reload) : undefined), [hasFailed, reload])
  return { ...state, reload }
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
