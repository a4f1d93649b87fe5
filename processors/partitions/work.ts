import { hourMs, slotOf } from '../../shared/time/units.ts'
import { derivedStart, isHeavy, sliceHours, type MachineTrack } from './machine-track.ts'
import type { Work } from './recompute.ts'
import type { CompanyRef } from '../../schema/refs.ts'

export const sliceMachines = 500

/** Maximum number of older hours of one batch that are computed before the next batch, of all machines together. */
const maxOlderHours = 500

/** Hours to compute, by machine. */
export type TouchedHours = ReadonlyMap<MachineTrack, ReadonlySet<number>>

/**
 * Returns the hours of a batch that are computed before the next batch; the rest follow in the background, so that no machine delays another.
 * The rest are hours of heavy machines, and older hours (before `recentFromMs`) of a machine with very many: `olderHours` is the limit of all
 * machines together.
 */
export function computedNow(
  touched: TouchedHours,
  recentFromMs: number,
  olderHours: number = maxOlderHours,
): TouchedHours {
  const now = new Map<MachineTrack, ReadonlySet<number>>()
  let hoursLeft = olderHours
  for (const [track, slots] of [...touched].sort(([, a], [, b]) => a.size - b.size)) {
    if (isHeavy(track)) continue
    const recent = [...slots].filter(slotMs => slotMs >= recentFromMs)
    const older = slots.size - recent.length
    const isRoom = older <= hoursLeft
    if (isRoom) hoursLeft -= older
    now.set(track, isRoom ? slots : new Set(recent))
  }
  return now
}

/** Returns the machines with hours before `fromMs`. */
export function tracksBefore(touched: TouchedHours, fromMs: number): readonly MachineTrack[] {
  return [...touched].filter(([, slots]) => [...slots].some(slotMs => slotMs < fromMs)).map(([track]) => track)
}

/**
 * Groups the hours of a batch: near hours of a machine, and machines with the same range, are computed together. Future
 * hours wait for their time.
 */
export function touchedWork(touched: TouchedHours, nowMs: number): readonly Work[] {
  const works = new Map<string, { companyRef: CompanyRef; tracks: MachineTrack[]; fromMs: number; toMs: number }>()
  for (const [track, slots] of touched) {
    const due = [...slots].filter(slotMs => slotMs <= Math.max(slotOf(nowMs), track.lastSlotMs)).sort((a, b) => a - b)
    for (const { fromMs, toMs } of runsOf(due)) {
      const key = `${track.companyRef}/${fromMs}/${toMs}`
      const work = works.get(key)
      if (work && work.tracks.length * ((toMs - fromMs) / hourMs) < sliceHours) work.tracks.push(track)
      else
        works.set(work ? `${key}/${works.size}` : key, { companyRef: track.companyRef, tracks: [track], fromMs, toMs })
    }
  }
  return [...works.values()].sort((a, b) => a.fromMs - b.fromMs)
}

function runsOf(slots: readonly number[]): { fromMs: number; toMs: number }[] {
  const runs: { fromMs: number; toMs: number }[] = []
  for (const slotMs of slots) {
    const last = runs.at(-1)
    if (last && slotMs + hourMs - last.fromMs <= sliceHours * hourMs) last.toMs = slotMs + hourMs
    else runs.push({ fromMs: slotMs, toMs: slotMs + hourMs })
  }
  return runs
}

/**
 * The next slice of background work: machines whose dirty hours begin at the same hour, from there on. Machines with
 * little work go before those with much, and hours from `liveFromMs` on before all others; heavy machines are processed
 * separately, and skipped during their back-off (`monotonicMs`: now by `performance.now()`).
 */
export function pickWork(tracks: Iterable<MachineTrack>, liveFromMs: number, monotonicMs: number): Work | null {
  let chosen: MachineTrack[] = []
  let fromMs = -Infinity
  for (const track of tracks) {
    const first = firstOf(track, liveFromMs)
    if (first === undefined || first < fromMs || track.backOffUntilMs > monotonicMs) continue
    if (first > fromMs) chosen = [track]
    else if (isHeavy(track)) continue
    else if (chosen[0] && isHeavy(chosen[0])) chosen = [track]
    else if (chosen.length < sliceMachines && chosen[0]?.companyRef === track.companyRef) chosen.push(track)
    fromMs = first
  }
  const [first] = chosen
  if (!first) return null
  return sliceOf(first, chosen, fromMs, track => endOf(track, fromMs))
}

/**
 * A slice of the machines' hours from `fromMs` on, up to the end of each machine's hours (`endOf`). A first machine with
 * many remaining hours and without samples so far is processed alone: equal hours are computed and stored best in long runs.
 */
export function sliceOf(
  first: MachineTrack,
  chosen: readonly MachineTrack[],
  fromMs: number,
  endOf: (track: MachineTrack) => number,
): Work {
  const isFarAndQuiet = first.isQuiet && endOf(first) - fromMs > sliceHours * hourMs
  const tracks = isFarAndQuiet ? [first] : chosen
  const hours = tracks.length === 1 ? first.sliceHours : Math.max(1, Math.floor(sliceHours / tracks.length))
  const toMs = Math.min(Math.max(...tracks.map(endOf)), fromMs + hours * hourMs)
  return { companyRef: first.companyRef, tracks, fromMs, toMs }
}

/** The machine's first dirty hour: from `liveFromMs` on, if its start state is known; otherwise of all. */
function firstOf(track: MachineTrack, liveFromMs: number): number | undefined {
  const { dirty, firstSlotMs, lastSlotMs } = track
  const live = dirty.firstFrom(liveFromMs)
  if (live === undefined) return dirty.first
  if (derivedStart(track, live)) return live
  const beforeMs = live - hourMs
  return beforeMs >= firstSlotMs && beforeMs <= lastSlotMs && !dirty.has(beforeMs) ? live : dirty.first
}

/** End of a machine's dirty hours, and of the hours to which its change may propagate. */
function endOf({ dirty, lastSlotMs, reachHours }: MachineTrack, fromMs: number): number {
  const reachMs = Math.min(lastSlotMs + hourMs, fromMs + reachHours * hourMs)
  return Math.max((dirty.last ?? fromMs) + hourMs, reachMs)
}
