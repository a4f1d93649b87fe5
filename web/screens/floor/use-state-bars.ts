import { useEffect, useRef, useState } from 'preact/hooks'
import type { MachineStateSteps } from '../../../schema/requests/machine-states.ts'
import { poll } from '../../data/poll.ts'
import { useViewer, type Viewer } from '../../data/viewer.ts'
import { barRange, type BarRange } from './bar-range.ts'

/** States of a machine in steps of equal length, the oldest first. */
export interface StateBar {
  readonly range: BarRange
  readonly states: readonly MachineStateSteps[]
}

/** Number of steps of a bar: 5 min each in 8 h. */
export const barSteps = 96
/** Interval at which bars are read again. */
const refreshMs = 60_000
/** Bars of newly visible machines are read when scrolling has paused for this time. */
const scrollPauseMs = 150
/** Limit of machines in a request. */
const maxMachines = 1000

/** The bars of the machines in view, read by one request for all of them. */
export function useStateBars(ids: readonly string[]): ReadonlyMap<string, StateBar> {
  const viewer = useViewer()
  const [bars, setBars] = useState<ReadonlyMap<string, StateBar>>(new Map())
  const visible = useRef(ids)
  visible.current = ids
  useEffect(
    () =>
      poll(
        () => refreshMs,
        () => undefined,
        async () => setBars(await readBars(viewer, visible.current)),
      ),
    [viewer],
  )
  const missing = ids.filter(id => !bars.has(id))
  useEffect(() => {
    if (missing.length === 0) return undefined
    const timer = setTimeout(() => {
      readBars(viewer, missing).then(
        read => setBars(before => new Map([...before, ...read])),
        () => undefined, // the next reading of all includes them
      )
    }, scrollPauseMs)
    return () => clearTimeout(timer)
  }, [missing.join()])
  return bars
}

async function readBars(
  { client, company, schedules }: Viewer,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StateBar>> {
  if (ids.length === 0) return new Map()
  // All machines have one range, so that their bars can be compared.
  const range = barRange(schedules, company.timeZone, client.now())
  const { machines } = await client.call('POST /machines/states', {
    body: {
      machineIds: ids.slice(0, maxMachines),
      start: new Date(range.startMs).toISOString(),
      end: new Date(range.endMs).toISOString(),
      points: barSteps,
    },
  })
  return new Map(machines.map(({ machineId, states }) => [machineId, { range, states }]))
}
