import { hourMs } from '../../shared/time/units.ts'
import type { MachineState } from '../timeline/state.ts'
import type { MachineInputs } from '../timeline/types.ts'
import { HourRanges } from '../../shared/time/hour-ranges.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { PackedSamples } from './packed-samples.ts'
import { SeenMinutes } from './seen-minutes.ts'

/** One hour as the processor keeps it in memory: all of its input, and what was last written of it. */
export interface TrackedHour {
  readonly samples: PackedSamples
  readonly seen: SeenMinutes
  hashIn: string | null
  stateOut: MachineState | null
  /** Number of samples that the last computation skipped (`HourResult.skippedSamples`). */
  skippedSamples: number
}

/** One machine of an owned partition. Memory is only a cache: all of it can be read back from the store. */
export interface MachineTrack {
  readonly machineRef: MachineRef
  readonly companyRef: CompanyRef
  inputs: MachineInputs
  /** The hours that exist are [firstSlotMs, lastSlotMs], without a hole once nothing is dirty. */
  firstSlotMs: number
  /** Last written hour; before the first one if there is none yet. */
  lastSlotMs: number
  /** Hours whose documents must be recomputed. */
  readonly dirty: HourRanges
  /** Recent hours. */
  readonly hours: Map<number, TrackedHour>
  /** How many hours the next slice of a change that runs on looks at; grows while it does. */
  reachHours: number
  /** How many of its hours a slice has that is its alone: many where the hours before held no samples. */
  sliceHours: number
  /** Its hours of the last slice held no samples. */
  isQuiet: boolean
  /** Its hours are left alone until then (`performance.now()`), as they take long to make and others wait. */
  restsUntilMs: number
  /** Newest seen instant, and the one that the written documents know. */
  lastSeenMs: number
  writtenSeenMs: number
}

/** Machine-hours of one slice: about a tenth of a second of work, so that fresh samples never wait long. */
export const sliceHours = 2000
/** Machine-hours of one slice where they have no samples. */
export const quietSliceHours = 6000
/** Machine-hours of one slice where most hold the same as the hour before. */
export const evenSliceHours = 20_000

/** A change mostly ends within the hour or the next; one that runs on may run for years. */
export const firstReachHours = 2

export function createTrack(
  machineRef: MachineRef,
  companyRef: CompanyRef,
  inputs: MachineInputs,
  firstSlotMs: number,
): MachineTrack {
  return {
    machineRef,
    companyRef,
    inputs,
    firstSlotMs,
    lastSlotMs: firstSlotMs - hourMs,
    dirty: new HourRanges(),
    hours: new Map(),
    reachHours: firstReachHours,
    sliceHours,
    isQuiet: false,
    restsUntilMs: -Infinity,
    lastSeenMs: -Infinity,
    writtenSeenMs: -Infinity,
  }
}

/** Samples of one hour that take long to work through, again with each batch. */
const heavySamples = 20_000

/** Whether the machine has so many samples that its hours are computed separately, and less often. */
export function isHeavy({ hours }: MachineTrack): boolean {
  for (const { samples } of hours.values()) if (samples.length > heavySamples) return true
  return false
}

export function emptyHour(): TrackedHour {
  return { samples: new PackedSamples(), seen: new SeenMinutes(), hashIn: null, stateOut: null, skippedSamples: 0 }
}

/** Makes the hours from `slotMs` on exist: the chain then starts there. */
export function extendBack(track: MachineTrack, slotMs: number): void {
  if (slotMs >= track.firstSlotMs) return
  track.dirty.add(slotMs, track.firstSlotMs)
  track.firstSlotMs = slotMs
}

/** Forgets hours older than `slotMs`, unless they are still to be worked on. */
export function forgetBefore(track: MachineTrack, slotMs: number): void {
  for (const slot of track.hours.keys()) if (slot < slotMs) track.hours.delete(slot)
}
