import { useEffect, useState } from 'preact/hooks'

/** UTC ms, new every second while the page is seen. */
export function useNow(now: () => number): number {
  const [nowMs, setNowMs] = useState(now)
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setNowMs(now()), 1000)
    return () => clearInterval(timer)
  }, [now])
  return nowMs
}
