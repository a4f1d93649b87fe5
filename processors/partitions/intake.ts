import type { SupersededCopy } from '../../schema/document-store.ts'
import { noCompany, type MachineRef } from '../../schema/refs.ts'
import type { Sample } from '../../schema/sample.ts'
import type { StateSamplesMessage } from '../../schema/topics.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import { groupBy } from '../../shared/collections/group-by.ts'
import { hourMs, slotOf } from '../../shared/time/units.ts'
import { mayGoStale } from '../timeline/staleness.ts'
import { extendBack, type MachineTrack } from './machine-track.ts'
import type { MachineTracks, MachineTracksDeps } from './machine-tracks.ts'
import type { TouchedHours } from './work.ts'

export interface IntakeDeps extends Pick<MachineTracksDeps, 'store' | 'clock'> {
  /** Called for each sample that is left out because another sample of its key has its number, at another time. */
  readonly onSequenceReused?: ((machineRef: MachineRef, key: string, sequence: number) => void) | undefined
}

/** A batch that is being stored. */
export interface Consumed {
  /** Its dirty hours. */
  readonly touched: TouchedHours
  /** Resolves when its samples and minutes are stored. */
  readonly stored: Promise<void>
}

/** Stores batches of state samples, and marks their hours as dirty. Samples of unknown machines are skipped. */
export class Intake {
  readonly #tracks: MachineTracks
  readonly #deps: IntakeDeps

  constructor(tracks: MachineTracks, deps: IntakeDeps) {
    this.#tracks = tracks
    this.#deps = deps
  }

  /**
   * Begins to store a batch, and resolves when its hours are dirty. Which samples with numbers count depends on all stored ones: a batch
   * with such samples is stored before.
   */
  async consume(messages: readonly StateSamplesMessage[]): Promise<Consumed> {
    for (const machineRef of machinesOfMessages(messages)) this.#tracks.add(machineRef)
    const storing = this.#storeAll(messages)
    const stored = storing.then(() => undefined)
    // A caller that fails before does not await it.
    stored.catch(() => undefined)
    const isNumbered = messages.some(({ samples }) => samples.some(({ sequence }) => sequence !== null))
    const copies = isNumbered ? await storing : []
    const touched = new Touched()
    this.#mark(messages, touched)
    this.#forgetCopies(copies, touched)
    for (const { machineRef, key, sequence, isNew } of copies)
      if (isNew) this.#deps.onSequenceReused?.(machineRef, key, sequence)
    return { touched: touched.hours, stored }
  }

  /** Returns the superseded copies that may be in hours in memory or in documents. */
  async #storeAll(messages: readonly StateSamplesMessage[]): Promise<readonly SupersededCopy[]> {
    const { store } = this.#deps
    const isKnown = ({ machineRef }: { readonly machineRef: MachineRef }) => this.#tracks.get(machineRef) !== undefined
    const companyOf = ({ machineRef }: { readonly machineRef: MachineRef }) =>
      this.#tracks.get(machineRef)?.companyRef ?? noCompany
    const samples = groupBy(messages.flatMap(message => message.samples).filter(isKnown), companyOf)
    const minutes = messages.flatMap(({ seen }) =>
      seen.map(([machineRef, firstMs, lastMs]) => ({ machineRef, firstMs, lastMs })),
    )
    await Promise.all([
      ...[...samples].map(([companyRef, rows]) => store.writeSamples(companyRef, rows)),
      ...[...groupBy(minutes.filter(isKnown), companyOf)].map(([companyRef, rows]) =>
        store.writeSeen(companyRef, rows),
      ),
    ])
    const copies = [...samples].map(([companyRef, rows]) => store.supersedeCopies(companyRef, rows))
    return (await Promise.all(copies)).flat()
  }

  /** Adds the samples to the hours in memory, and marks their hours. */
  #mark(messages: readonly StateSamplesMessage[], touched: Touched): void {
    for (const { samples, seen } of messages) {
      for (const [machineRef, firstMs, lastMs] of seen) this.#markSeen(machineRef, firstMs, lastMs, touched)
      for (const sample of samples) this.#markSample(sample, touched)
    }
    const horizonMs = slotOf(this.#deps.clock()) + hourMs
    for (const [track, slots] of touched.hours)
      track.dirty.addHours([...slots].filter(slotMs => slotMs < horizonMs || slotMs <= track.lastSlotMs))
  }

  #markSample(sample: Sample, touched: Touched): void {
    const track = this.#tracks.get(sample.machineRef)
    if (!track) return
    const slotMs = slotOf(sample.atUs / 1000)
    extendBack(track, slotMs)
    track.hours.get(slotMs)?.samples.push(sample)
    touched.add(track, slotMs)
  }

  #markSeen(machineRef: MachineRef, firstMs: number, lastMs: number, touched: Touched): void {
    const track = this.#tracks.get(machineRef)
    if (!track) return
    const slotMs = slotOf(firstMs)
    const extended = slotMs < track.firstSlotMs
    extendBack(track, slotMs)
    const hour = track.hours.get(slotMs)
    // If the documents of a batch could not be stored, the batch is read again, which changes nothing in memory.
    const isDirty = track.dirty.has(slotMs)
    // The machine's documents begin where it was first seen.
    const beginsEarlier = slotMs === track.firstSlotMs && (!hour || firstMs < hour.seen.firstMs || isDirty)
    const isNews = hour ? hour.seen.merge(firstMs, lastMs) || isDirty : true
    const isNewest = firstMs > track.lastSeenMs && slotMs >= slotOf(this.#deps.clock())
    track.lastSeenMs = Math.max(track.lastSeenMs, lastMs)
    if (extended || beginsEarlier) touched.add(track, slotMs)
    else if (mayGoStale(track.parameters.settings) && isNews && !isNewest) touched.add(track, slotMs)
  }

  /** The hours of copies are recomputed from the store, which excludes the copies. */
  #forgetCopies(copies: readonly SupersededCopy[], touched: Touched): void {
    for (const { machineRef, atUs } of copies) {
      const track = this.#tracks.get(machineRef)
      if (!track) continue
      const slotMs = slotOf(atUs / 1000)
      track.hours.delete(slotMs)
      if (slotMs <= track.lastSlotMs) track.dirty.add(slotMs)
      touched.add(track, slotMs)
    }
  }
}

class Touched {
  readonly hours = new Map<MachineTrack, Set<number>>()

  add(track: MachineTrack, slotMs: number): void {
    getOrCreate(this.hours, track, () => new Set<number>()).add(slotMs)
  }
}

/** The machines of all samples and minutes of the messages. */
export function machinesOfMessages(messages: readonly StateSamplesMessage[]): ReadonlySet<MachineRef> {
  const machines = new Set<MachineRef>()
  for (const { samples, seen } of messages) {
    for (const { machineRef } of samples) machines.add(machineRef)
    for (const [machineRef] of seen) machines.add(machineRef)
  }
  return machines
}
