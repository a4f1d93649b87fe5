import { hourMs } from '../../shared/time/units.ts'
import type { RebuildProgress } from '../../schema/topics.ts'
import { HourRanges } from '../../shared/time/hour-ranges.ts'
import type { MachineTrack } from './machine-track.ts'
import type { Work } from './recompute.ts'
import { sliceMachines, sliceOf } from './work.ts'

interface Open {
  readonly totalHours: number
  /** Number of hours to recompute. */
  readonly left: Map<MachineTrack, HourRanges>
}

/**
 * Tracks the hours that a partition has to recompute for rebuilds. Each machine starts at its first hour: every hour
 * then starts from a recomputed one, never from a stored one.
 */
export class Rebuilds {
  readonly #open = new Map<string, Open>()

  get progress(): readonly RebuildProgress[] {
    return [...this.#open].map(([id, { totalHours, left }]) => ({ id, totalHours, leftHours: hoursOf(left) }))
  }

  has(id: string): boolean {
    return this.#open.has(id)
  }

  /** Starts a rebuild of every hour that the machines have. */
  start(id: string, tracks: Iterable<MachineTrack>): void {
    const left = new Map<MachineTrack, HourRanges>()
    for (const track of tracks) {
      const hours = new HourRanges()
      hours.add(track.firstSlotMs, track.lastSlotMs + hourMs)
      left.set(track, hours)
    }
    this.#open.set(id, { totalHours: hoursOf(left), left })
  }

  forget(id: string): void {
    this.#open.delete(id)
  }

  /** The next slice: the earliest hours that are left, of machines of one company. */
  pick(): Work | null {
    for (const { left } of this.#open.values()) {
      const work = pickFrom(left)
      if (work) return work
    }
    return null
  }

  /** Removes the hours of a computed slice from all rebuilds. */
  removeHours({ tracks, fromMs, toMs }: Work): void {
    for (const { left } of this.#open.values()) {
      for (const track of tracks) {
        const hours = left.get(track)
        hours?.remove(fromMs, toMs)
        if (hours?.first === undefined) left.delete(track)
      }
    }
  }
}

function pickFrom(left: ReadonlyMap<MachineTrack, HourRanges>): Work | null {
  let chosen: MachineTrack[] = []
  let fromMs = Infinity
  for (const [track, { first = Infinity }] of left) {
    if (first > fromMs) continue
    if (first < fromMs) chosen = [track]
    else if (chosen.length < sliceMachines && chosen[0]?.companyRef === track.companyRef) chosen.push(track)
    fromMs = first
  }
  const [first] = chosen
  if (!first) return null
  const endOf = (track: MachineTrack) => (left.get(track)?.last ?? -Infinity) + hourMs
  return { ...sliceOf(first, chosen, fromMs, endOf), isWhole: true }
}

function hoursOf(left: ReadonlyMap<MachineTrack, HourRanges>): number {
  let hours = 0
  for (const ranges of left.values()) hours += ranges.hours
  return hours
}
