import { useState } from 'preact/hooks'
import type { ScheduleResponse } from '../../../../schema/records/schedule.ts'
import { addDays } from '../../../time/wall-time.ts'

type Version = ScheduleResponse['versions'][number]
type Shift = Version['shifts'][number]
/** A shift whose id the service is to make has none. */
export type EditedShift = Omit<Shift, 'id'> & { readonly id?: string }
export type EditedVersion = Omit<Version, 'shifts'> & { readonly shifts: readonly EditedShift[] }

/** Versions of a schedule while they are edited, and the one that is shown. */
export interface Versions {
  readonly all: readonly EditedVersion[]
  readonly index: number
  readonly shown: EditedVersion | undefined
  readonly show: (index: number) => void
  readonly change: (changes: Partial<EditedVersion>) => void
  /** Adds one with the same shifts, from the day after the latest and after today, and shows it. */
  readonly add: () => void
  /** Drops the one that is shown, and shows the one before it. */
  readonly drop: () => void
}

/** Edits versions; `today` is a shop date, `YYYY-MM-DD`. At first the last one is shown. */
export function useVersions(first: readonly EditedVersion[], today: string): Versions {
  const [all, setAll] = useState(first)
  const [index, show] = useState(first.length - 1)
  const shown = all[index]
  return {
    all,
    index,
    shown,
    show,
    change: changes => setAll(all.map((each, at) => (at === index ? { ...each, ...changes } : each))),
    add() {
      const dates = all.map(({ effectiveFrom }) => effectiveFrom ?? '')
      const latest = dates.reduce((a, b) => (a > b ? a : b), today)
      setAll([...all, { effectiveFrom: addDays(latest, 1), shifts: shown?.shifts ?? [] }])
      show(all.length)
    },
    drop() {
      setAll(all.filter((_, at) => at !== index))
      show(Math.max(0, index - 1))
    },
  }
}
