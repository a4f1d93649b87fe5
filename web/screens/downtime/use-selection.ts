import { useState } from 'preact/hooks'
import { canMerge, type ListRow } from './list-rows.ts'

/** The rows of the list that a change would be made to. */
export interface Selection {
  readonly chosenIds: ReadonlySet<string>
  readonly currentId: string | null
  readonly chosen: readonly ListRow[]
  /** The chosen rows; without any, the one at which the list stands. */
  readonly meant: readonly ListRow[]
  readonly canMerge: boolean
  readonly choose: (ids: ReadonlySet<string>) => void
  readonly goTo: (id: string | null) => void
  readonly chooseAll: () => void
  readonly clear: () => void
  /** Goes to the next row that stays where those that are meant leave the list, and chooses none. */
  readonly moveOn: () => void
}

export function useSelection(rows: readonly ListRow[]): Selection {
  const [chosenIds, choose] = useState<ReadonlySet<string>>(new Set())
  const [currentId, goTo] = useState<string | null>(null)
  const chosen = rows.filter(({ id }) => chosenIds.has(id))
  const current = rows.find(({ id }) => id === currentId)
  const meant = chosen.length > 0 ? chosen : current ? [current] : []
  const clear = () => choose(new Set())
  return {
    chosenIds,
    currentId,
    chosen,
    meant,
    canMerge: canMerge(chosen),
    choose,
    goTo,
    chooseAll: () => choose(new Set(rows.map(({ id }) => id))),
    clear,
    moveOn() {
      const index = rows.findIndex(({ id }) => id === currentId)
      const ids = new Set(meant.map(({ id }) => id))
      const next = rows.slice(Math.max(index, 0)).find(({ id }) => !ids.has(id))
      clear()
      if (ids.has(currentId ?? '')) goTo(next?.id ?? currentId)
    },
  }
}
