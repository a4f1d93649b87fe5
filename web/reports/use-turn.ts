import { useEffect, useState } from 'preact/hooks'
import { onBack } from '../data/reach.ts'

const everyMs = 60_000

/** A counter that increases every minute while the page is visible, and when the service is reachable again. */
export function useTurn(): number {
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setTurn(before => before + 1), everyMs)
    const endOnBack = onBack(() => setTurn(before => before + 1))
    return () => {
      clearInterval(timer)
      endOnBack()
    }
  }, [])
  return turn
}
