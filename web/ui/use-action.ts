import { useState } from 'preact/hooks'
import { RequestFailed } from '../data/client.ts'

/** Something that is done when a button is pressed or a form is sent. */
interface Action {
  readonly isBusy: boolean
  /** Failure of the last attempt; null: there is none. */
  readonly error: unknown
  /** Fault of a field, by the service's name of it. */
  readonly faultOf: (field: string) => string | undefined
  readonly run: (work: () => Promise<void>) => void
}

/** Does one thing at a time, and keeps what went wrong. */
export function useAction(): Action {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const faults = error instanceof RequestFailed ? error.faults : []
  return {
    isBusy,
    error,
    faultOf: field => faults.find(fault => fault.field === field)?.message,
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
