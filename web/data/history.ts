import { useEffect, useState } from 'preact/hooks'
import { hasScope, type Viewer } from './viewer.ts'

const pollMs = 1_000

/** Share of the simulated history that was generated, polled until it is 1; null: not loaded yet. */
export function useHistory(viewer: Viewer | null): number | null {
  const [share, setShare] = useState<number | null>(null)
  const client = viewer?.client ?? null
  const isAllowed = viewer !== null && (hasScope(viewer, 'machine.read') || hasScope(viewer, 'reporting'))
  useEffect(() => {
    if (client === null || !isAllowed) {
      setShare(viewer === null ? null : 1)
      return
    }
    let timer: ReturnType<typeof setTimeout> | undefined
    let isOver = false
    const load = () => {
      client.call('GET /demo').then(
        ({ complete }) => {
          if (isOver) return
          setShare(complete)
          if (complete < 1) timer = setTimeout(load, pollMs)
        },
        // The screens show by themselves that the service fails.
        () => isOver || setShare(1),
      )
    }
    load()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [client, isAllowed])
  return share
}
