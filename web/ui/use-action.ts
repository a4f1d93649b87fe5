import { useState } from 'preact/hooks'
import { RequestFailed } from '../data/client.ts'

export interface Action {
  readonly isBusy: boolean
  /** Failure of the last attempt; null: there is none. */
  readonly error: unknown
  /** Error message of a field, by its name in the API. */
  readonly errorOf: (field: string) => string | undefined
  readonly run: (work: () => Promise<void>) => void
}

/** Does one thing at a time, and keeps what went wrong. */
export function useAction(): Action {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const errors = error instanceof RequestFailed ? error.errors : []
  return {
    isBusy,
    error,
    errorOf: field => errors.find(each => each.field === field)?.message,
    run(work) {
      if (isBusy) return
      setBusy(true)
      setError(null)
      work().then(
        () => setBusy(false),
        (failure: unknown) => {
          setBusy(false)
          setError(failure)
        },
      )
    },
  }
}
