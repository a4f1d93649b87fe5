import { useEffect, useState } from 'preact/hooks'
import type { Viewer } from './viewer.ts'

const pollMs = 1_000

/** Share of the simulated history that was generated, polled until it is 1; null: there is no viewer. */
export function useHistory(viewer: Viewer | null): number | null {
  const first = viewer?.historyShare ?? null
  const [share, setShare] = useState(first)
  const client = viewer?.client ?? null
  useEffect(() => {
    setShare(first)
    if (client === null || first === 1) return
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
  }, [client])
  return share
}
