import { useState } from 'preact/hooks'
import type { DowntimeRecordResponse } from '../../../schema/requests/downtime-records.ts'

/** The stops that a change would be made to. */
export interface Selection {
  readonly chosenIds: ReadonlySet<string>
  readonly currentId: string | null
  readonly chosen: readonly DowntimeRecordResponse[]
  /** The chosen stops; without any, the one at which the list stands. */
  readonly meant: readonly DowntimeRecordResponse[]
  readonly canMerge: boolean
  readonly choose: (ids: ReadonlySet<string>) => void
  readonly goTo: (id: string | null) => void
  readonly chooseAll: () => void
  readonly clear: () => void
  /** Goes to the next stop that stays where those that are meant leave the list, and chooses none. */
  readonly moveOn: () => void
}

export function useSelection(stops: readonly DowntimeRecordResponse[]): Selection {
  const [chosenIds, choose] = useState<ReadonlySet<string>>(new Set())
  const [currentId, goTo] = useState<string | null>(null)
  const chosen = stops.filter(({ id }) => chosenIds.has(id))
  const current = stops.find(({ id }) => id === currentId)
  const meant = chosen.length > 0 ? chosen : current ? [current] : []
  const clear = () => choose(new Set())
  return {
    chosenIds,
    currentId,
    chosen,
    meant,
    canMerge: chosen.length > 1 && chosen.every(({ machineId }) => machineId === chosen[0]?.machineId),
    choose,
    goTo,
    chooseAll: () => choose(new Set(stops.map(({ id }) => id))),
    clear,
    moveOn() {
      const index = stops.findIndex(({ id }) => id === currentId)
      const ids = new Set(meant.map(({ id }) => id))
      const next = stops.slice(Math.max(index, 0)).find(({ id }) => !ids.has(id))
      clear()
      if (ids.has(currentId ?? '')) goTo(next?.id ?? currentId)
    },
  }
}
