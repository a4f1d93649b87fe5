import { useEffect, useRef, useState } from 'preact/hooks'
import type { MachineStateSteps } from '../../../schema/requests/machine-states.ts'
import type { Client } from '../../data/client.ts'
import { poll } from '../../data/poll.ts'
import { useViewer } from '../../data/viewer.ts'

/** States of a machine in steps of equal length, the oldest first. */
export type StateBar = readonly MachineStateSteps[]

/** Number of steps of a bar: 5 min each in 8 h. */
export const barSteps = 96
/** Length of a usual shift. */
const barMs = 8 * 3_600_000
const stepMs = barMs / barSteps
/** Interval at which bars are read again. */
const refreshMs = 60_000
/** Bars of newly visible machines are read when scrolling has paused for this time. */
const scrollPauseMs = 150
/** Limit of machines in a request. */
const maxMachines = 1000

/** The bars of the machines in view for the last 8 hours, read by one request for all of them. */
export function useStateBars(ids: readonly string[]): ReadonlyMap<string, StateBar> {
  const { client } = useViewer()
  const [bars, setBars] = useState<ReadonlyMap<string, StateBar>>(new Map())
  const visible = useRef(ids)
  visible.current = ids
  useEffect(
    () =>
      poll(
        () => refreshMs,
        () => undefined,
        async () => setBars(await readBars(client, visible.current)),
      ),
    [client],
  )
  const missing = ids.filter(id => !bars.has(id))
  useEffect(() => {
    if (missing.length === 0) return undefined
    const timer = setTimeout(() => {
      readBars(client, missing).then(
        read => setBars(before => new Map([...before, ...read])),
        () => undefined, // the next reading of all includes them
      )
    }, scrollPauseMs)
    return () => clearTimeout(timer)
  }, [missing.join()])
  return bars
}

async function readBars(client: Client, ids: readonly string[]): Promise<ReadonlyMap<string, StateBar>> {
  if (ids.length === 0) return new Map()
  // Whole steps, so that a step does not change with each reading.
  const endMs = Math.ceil(client.now() / stepMs) * stepMs
  const { machines } = await client.call('POST /machines/states', {
    body: {
      machineIds: ids.slice(0, maxMachines),
      start: new Date(endMs - barMs).toISOString(),
      end: new Date(endMs).toISOString(),
      points: barSteps,
    },
  })
  return new Map(machines.map(({ machineId, states }) => [machineId, states]))
}
