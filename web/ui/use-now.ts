import { useEffect, useRef, useState } from 'preact/hooks'

/** UTC ms, new every second while the page is seen, however often the component is drawn. */
export function useNow(now: () => number): number {
  const latest = useRef(now)
  latest.current = now
  const [nowMs, setNowMs] = useState(now)
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setNowMs(latest.current()), 1000)
    return () => clearInterval(timer)
  }, [])
  return nowMs
}
