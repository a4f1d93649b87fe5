import { useEffect, useRef, useState } from 'preact/hooks'
import { useViewer } from '../../data/viewer.ts'
import { useQuery } from '../../router/router.tsx'
import { spans, type TimeWindow } from './time-window.ts'

/** The window of the address: without an end it follows now. */
export interface ShownWindow {
  readonly window: TimeWindow
  readonly isLive: boolean
  /** Text of what is chosen: while it follows now, it stays as it is. */
  readonly choice: string
  readonly nowMs: number
  readonly show: (window: TimeWindow) => void
  /** Follows now, with this duration before it. */
  readonly follow: (lengthMs: number) => void
}

const writeAfterMs = 250

/** The displayed window, written to the address shortly after it stops changing. */
export function useWindow(): ShownWindow {
  const { client } = useViewer()
  const [query, change] = useQuery()
  const [nowMs, setNow] = useState(() => client.now())
  const [moving, setMoving] = useState<TimeWindow | null>(null)
  const [from, to] = [parseInstant(query, 'from'), parseInstant(query, 'to')]
  const requestedMs = Number(query.get('span'))
  const spanMs = requestedMs >= 1000 && requestedMs <= 400 * spans.day ? requestedMs : spans.day
  const isLive = moving === null && to === null
  const fromMs = from ?? nowMs - spanMs
  const lengthMs = (moving?.toMs ?? to ?? nowMs) - (moving?.fromMs ?? fromMs)
  useEffect(() => {
    const tick = () => setNow(client.now())
    tick()
    const timer = setInterval(tick, Math.min(Math.max(lengthMs / 1000, 1000), 30_000))
    return () => clearInterval(timer)
  }, [client, Math.round(Math.log2(Math.max(lengthMs, 1)))])
  // Not the clean-up of an effect, which runs after the next frame: until then the timer could overwrite a newer choice.
  const writing = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(writing.current), [])
  const window = moving ?? { fromMs, toMs: Math.max(to ?? nowMs, fromMs + 1000) }
  return {
    window,
    isLive,
    choice: isLive ? `live ${from ?? ''} ${from === null ? spanMs : ''}` : `${window.fromMs} ${window.toMs}`,
    nowMs,
    show(next) {
      clearTimeout(writing.current)
      setMoving(next)
      writing.current = setTimeout(() => {
        change({ from: new Date(next.fromMs).toISOString(), to: new Date(next.toMs).toISOString(), span: null })
        setMoving(null)
      }, writeAfterMs)
    },
    follow(length) {
      clearTimeout(writing.current)
      setMoving(null)
      setNow(client.now())
      change({ from: null, to: null, span: String(Math.round(length)) })
    },
  }
}

function parseInstant(query: URLSearchParams, name: string): number | null {
  const ms = Date.parse(query.get(name) ?? '')
  return Number.isFinite(ms) ? ms : null
}
