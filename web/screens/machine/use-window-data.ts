import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { MachineListItem } from '../../../schema/records/machine.ts'
import type { StatusUpdate } from '../../../schema/requests/live.ts'
import { openChannel } from '../../data/live-channel.ts'
import { oneAtATime } from '../../data/one-at-a-time.ts'
import { poll } from '../../data/poll.ts'
import { useViewer } from '../../data/viewer.ts'
import type { StatusNow } from '../floor/floor-machine.ts'
import { loadWindow, type WindowData } from './machine-data.ts'
import type { TimeWindow } from './time-window.ts'
import type { ShownWindow } from './use-window.ts'

const settleMs = 150
const afterUpdateMs = 500

/**
 * Data of the window: loaded immediately if the window was idle before the change, again when it is idle, and
 * periodically while it is live. One request at a time.
 */
export function useWindowData(
  machine: MachineListItem,
  { window: range, isLive, choice }: ShownWindow,
  keys: readonly string[],
  widthPx: number,
) {
  const { client } = useViewer()
  const [state, setState] = useState<{ readonly data: WindowData | null; readonly error: unknown }>({
    data: null,
    error: null,
  })
  const [now, setNow] = useState<StatusNow>({ status: machine.status, sinceMs: null, message: null })
  const [turn, setTurn] = useState(0)
  const keysText = keys.join()
  const latest = useRef({ range, keysText, widthPx })
  latest.current = { range, keysText, widthPx }
  const changedAtMs = useRef(-Infinity)
  const isMeasured = widthPx > 0
  const readWindow = useMemo(
    () =>
      oneAtATime(async () => {
        // An answer of another part of time is shown until the next one comes; one with other metrics is not.
        const isWanted = () => latest.current.keysText === keysText
        try {
          const data = await loadWindow(client, machine.id, latest.current.range, keys, latest.current.widthPx)
          if (isWanted()) setState({ data, error: null })
        } catch (error) {
          if (isWanted()) setState(({ data }) => ({ data, error }))
          throw error
        }
      }),
    [client, machine.id, keysText, isMeasured],
  )
  useEffect(() => {
    if (!isMeasured) return undefined
    let stop: () => void = () => undefined
    const begin = () => {
      if (isLive) stop = poll(() => beatMs(latest.current.range), nothing, readWindow)
      else readWindow().catch(nothing)
    }
    const isMoving = performance.now() - changedAtMs.current < settleMs
    changedAtMs.current = performance.now()
    const timer = setTimeout(begin, isMoving ? settleMs : 0)
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [readWindow, isMeasured, isLive, choice, turn])
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const refresh = () => {
      timer = undefined
      setTurn(before => before + 1)
    }
    const channel = openChannel<StatusUpdate>({
      client,
      channel: 'status',
      onUpdate({ status, timestamp, message = null }) {
        setNow({ status, sinceMs: Date.parse(timestamp), message })
        timer ??= setTimeout(refresh, afterUpdateMs)
      },
      onJoined: () => undefined,
    })
    channel.setMachines([machine.id])
    return () => {
      clearTimeout(timer)
      channel.close()
    }
  }, [client, machine.id])
  return { ...state, now, reload: () => setTurn(before => before + 1) }
}

/** Time between two readings of a live window, ms: in about as much it moves by a pixel. */
function beatMs({ fromMs, toMs }: TimeWindow): number {
  return Math.min(Math.max((toMs - fromMs) / 5000, 3000), 60_000)
}

function nothing(): void {
  // Failures are part of the state.
}
