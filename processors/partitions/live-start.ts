import type { DocumentStore } from '../../schema/document-store.ts'
import type { MachineRef } from '../../schema/refs.ts'
import { groupBy } from '../../shared/collections/group-by.ts'
import { hourMs } from '../../shared/time/units.ts'
import { startState } from '../timeline/start-state.ts'
import { stateHash, type MachineState } from '../timeline/state.ts'
import type { PartitionInputs } from './machine-tracks.ts'
import { emptyHour, isBehind, isHeavy, type MachineTrack } from './machine-track.ts'
import { maxSamples, readRange } from './recompute.ts'

/** Machines of one company whose live hours need a start state, derived from the samples of a window before them. */
export interface LiveStarts {
  readonly tracks: readonly MachineTrack[]
  readonly windowHours: number
}

export interface LiveStartDeps {
  readonly store: DocumentStore
  readonly inputs: Pick<PartitionInputs, 'read'>
}

/** Machine-hours of a backlog that is computed about as fast as start states are derived. */
export const shortBacklogHours = 200
/** Machine-hours of the windows that are read together: most of the time is that of the statements. */
const startHours = 8_000
/** A longer window is tried if one does not show the state. */
const windowFactor = 8
const maxWindowHours = 4_096

/**
 * Returns the next machines with an outdated start of the live hours: those with the shortest window. The hours of heavy machines are
 * computed in their order.
 */
export function pickLiveStarts(tracks: Iterable<MachineTrack>, liveFromMs: number): LiveStarts | null {
  let chosen: MachineTrack[] = []
  let windowHours = Infinity
  for (const track of tracks) {
    const isOutdated = track.liveness === 'outdated' && isBehind(track, liveFromMs) && !isHeavy(track)
    if (!isOutdated || track.windowHours > windowHours) continue
    if (track.windowHours < windowHours) chosen = []
    windowHours = track.windowHours
    const isRoom = chosen.length < Math.max(1, startHours / windowHours)
    if (isRoom && (chosen[0]?.companyRef ?? track.companyRef) === track.companyRef) chosen.push(track)
  }
  return chosen.length > 0 ? { tracks: chosen, windowHours } : null
}

/**
 * Derives the start of the first live hour of these machines from the store. Marks the hour as dirty if its document starts from another
 * state. A machine whose window does not show the state gets a longer one, until its previous hours have to be computed.
 */
export async function deriveLiveStarts(
  { tracks, windowHours }: LiveStarts,
  liveFromMs: number,
  deps: LiveStartDeps,
): Promise<void> {
  const states = await startStates(tracks, liveFromMs - windowHours * hourMs, liveFromMs, deps)
  for (const track of tracks) {
    const state = states.get(track)
    if (state) setLiveStart(track, liveFromMs, state)
    else if (windowHours < maxWindowHours && state === null) track.windowHours *= windowFactor
    else {
      track.liveness = 'unknown'
      track.liveStart = null
    }
  }
}

function setLiveStart(track: MachineTrack, slotMs: number, state: MachineState): void {
  track.liveStart = { slotMs, state }
  track.liveness = 'exact'
  track.derivedSlots.add(slotMs)
  if (track.hours.get(slotMs)?.hashIn !== stateHash(state)) track.dirty.add(slotMs)
}

/** Returns the states at `toMs`; null for a machine whose window does not show it. A machine with too many samples is missing. */
async function startStates(
  tracks: readonly MachineTrack[],
  fromMs: number,
  toMs: number,
  deps: LiveStartDeps,
): Promise<ReadonlyMap<MachineTrack, MachineState | null>> {
  const { store } = deps
  const [first] = tracks
  if (!first) return new Map()
  const { companyRef } = first
  const machines = tracks.map(({ machineRef }) => machineRef)
  if ((await store.countSamples(companyRef, machines, fromMs, toMs)) > maxSamples) {
    if (tracks.length === 1) return new Map()
    const half = tracks.length >> 1
    const parts = [tracks.slice(0, half), tracks.slice(half)]
    const found = []
    for (const part of parts) found.push(...(await startStates(part, fromMs, toMs, deps)))
    return new Map(found)
  }
  const [loaded, inputsOf, latest, firstSeen] = await Promise.all([
    readRange({ companyRef, fromMs, toMs }, tracks, store),
    deps.inputs.read(machines, { fromMs, toMs }),
    store.readLatestSamples(companyRef, machines, fromMs),
    store.readFirstSeen(companyRef, machines),
  ])
  const latestOf = groupBy(latest, ({ machineRef }): MachineRef => machineRef)
  return new Map(
    tracks.map(track => {
      const { machineRef } = track
      const hours = loaded.get(track)?.hours
      const hourOf = (slotMs: number) => {
        const { samples, seen } = hours?.get(slotMs) ?? emptyHour()
        return { samples: samples.arranged(machineRef), seen: seen.inOrder(machineRef) }
      }
      const window = {
        fromMs,
        toMs,
        hourOf,
        latest: latestOf.get(machineRef) ?? [],
        firstSlotMs: track.firstSlotMs,
        firstSeenMs: firstSeen.get(machineRef) ?? Infinity,
      }
      const inputs = inputsOf.get(machineRef)
      return [track, inputs ? startState(inputs, window) : null]
    }),
  )
}
