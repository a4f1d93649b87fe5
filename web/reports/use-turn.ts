import { useEffect, useState } from 'preact/hooks'

const everyMs = 60_000

/** A number that grows every minute while the page is seen: what depends on it is made anew. */
export function useTurn(): number {
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setTurn(before => before + 1), everyMs)
    return () => clearInterval(timer)
  }, [])
  return turn
}
