import type { DocumentStore } from '../../schema/document-store.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { hourMs, slotOf } from '../../shared/time/units.ts'
import type { AffectedHours } from '../records/affected.ts'
import { mayGoStale } from '../timeline/staleness.ts'
import type { Range } from '../timeline/commission.ts'
import type { MachineInputs, MachineParameters } from '../timeline/types.ts'
import { createTrack, extendBack, type MachineTrack } from './machine-track.ts'

export interface MachineTracksDeps {
  readonly store: DocumentStore
  readonly clock: () => number
  readonly inputs: PartitionInputs
}

/** Reads the inputs of machines' documents from the current records. */
export interface PartitionInputs {
  /** Returns the inputs that do not depend on records with a time; undefined for an unknown machine. */
  readonly parametersOf: (machineRef: MachineRef) => MachineParameters | undefined
  /** Resolves to the inputs for the hours in a range, of all known machines. */
  readonly read: (machines: readonly MachineRef[], range: Range) => Promise<ReadonlyMap<MachineRef, MachineInputs>>
}

/** The machines of a partition, with the dirty hours of each. */
export class MachineTracks {
  readonly #deps: MachineTracksDeps
  readonly #tracks = new Map<MachineRef, MachineTrack>()

  constructor(deps: MachineTracksDeps) {
    this.#deps = deps
  }

  get(machineRef: MachineRef): MachineTrack | undefined {
    return this.#tracks.get(machineRef)
  }

  all(): Iterable<MachineTrack> {
    return this.#tracks.values()
  }

  /** The machines of a company; null: of all. */
  of(companyRef: CompanyRef | null): readonly MachineTrack[] {
    return [...this.#tracks.values()].filter(track => companyRef === null || track.companyRef === companyRef)
  }

  get dirtyHours(): number {
    let hours = 0
    for (const track of this.#tracks.values()) hours += track.dirty.hours
    return hours
  }

  /** Dirty hours from this one on. */
  dirtyHoursFrom(fromMs: number): number {
    let hours = 0
    for (const { dirty } of this.#tracks.values()) {
      const lastMs = dirty.last ?? -Infinity
      for (let slotMs = fromMs; slotMs <= lastMs; slotMs += hourMs) if (dirty.has(slotMs)) hours++
    }
    return hours
  }

  /** Adds a new machine; its hours up to now are computed in the background. */
  add(machineRef: MachineRef, firstSeenMs?: number): void {
    const parameters = this.#deps.inputs.parametersOf(machineRef)
    if (!parameters || this.#tracks.has(machineRef)) return
    const firstMs = Math.min(startOf(parameters), firstSeenMs ?? Infinity)
    const track = createTrack(machineRef, parameters.companyRef, parameters, slotOf(firstMs))
    track.dirty.add(track.firstSlotMs, slotOf(this.#deps.clock()) + hourMs)
    track.liveness = 'outdated'
    this.#tracks.set(machineRef, track)
  }

  /** Adds machines of a company with their stored state, and marks their dirty hours. */
  async takeOver(companyRef: CompanyRef, machines: readonly MachineRef[]): Promise<void> {
    const { store } = this.#deps
    const [extents, firstSeen, broken] = await Promise.all([
      store.readExtents(companyRef, machines),
      store.readFirstSeen(companyRef, machines),
      store.readBrokenLinks(companyRef, machines),
    ])
    for (const machineRef of machines) this.add(machineRef, firstSeen.get(machineRef))
    for (const { machineRef, firstSlotMs, lastSlotMs } of extents) {
      const track = this.#tracks.get(machineRef)
      if (!track) continue
      extendBack(track, firstSlotMs)
      track.lastSlotMs = lastSlotMs
      track.dirty.remove(firstSlotMs, lastSlotMs + hourMs)
      if (mayGoStale(track.parameters.settings))
        track.dirty.add(Math.max(firstSlotMs, lastSlotMs - hourMs), lastSlotMs + hourMs)
    }
    for (const { machineRef, fromMs, toMs } of broken) this.#tracks.get(machineRef)?.dirty.add(fromMs, toMs)
  }

  /** Applies a machine's current records, and marks the hours that they affect. */
  inputsChanged({ machineRef, fromMs, toMs }: Omit<AffectedHours, 'what'>): void {
    const track = this.#tracks.get(machineRef)
    if (!track) return this.add(machineRef)
    const parameters = this.#deps.inputs.parametersOf(machineRef)
    if (parameters) track.parameters = parameters
    extendBack(track, slotOf(startOf(track.parameters)))
    const from = Math.max(track.firstSlotMs, slotOf(fromMs))
    const to = Math.min(track.lastSlotMs, toMs === null ? Infinity : slotOf(toMs)) + hourMs
    track.dirty.add(from, to)
  }
}

/** Start of a machine by its records. */
function startOf({ commissioned }: MachineParameters): number {
  return Math.min(commissioned.fromMs ?? Infinity, commissioned.createdMs)
}
