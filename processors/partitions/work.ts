import { hourMs, slotOf } from '../../shared/time/units.ts'
import { type MachineTrack } from './machine-track.ts'
import type { Work } from './recompute.ts'

/** Machine-hours of one slice: about a tenth of a second of work, so that fresh samples never wait long. */
export const sliceHours = 2000
export const sliceMachines = 500

/**
 * The hours that a batch falls into. A machine's hours that lie near each other are one piece of work; machines with the
 * same range are worked on together. Hours still to come wait for their time.
 */
export function touchedWork(touched: ReadonlyMap<MachineTrack, ReadonlySet<number>>, nowMs: number): readonly Work[] {
  const works = new Map<string, { company: number; tracks: MachineTrack[]; fromMs: number; toMs: number }>()
  for (const [track, slots] of touched) {
    const wanted = [...slots]
      .filter(slotMs => slotMs <= Math.max(slotOf(nowMs), track.lastSlotMs))
      .sort((a, b) => a - b)
    for (const { fromMs, toMs } of runsOf(wanted)) {
      const key = `${track.company}/${fromMs}/${toMs}`
      const work = works.get(key)
      if (work && work.tracks.length * ((toMs - fromMs) / hourMs) < sliceHours) work.tracks.push(track)
      else works.set(work ? `${key}/${works.size}` : key, { company: track.company, tracks: [track], fromMs, toMs })
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
 * The next slice of background work: machines whose dirty hours begin at the same hour, from there on. Machines with little to
 * do go before those with a long way to go.
 */
export function pickWork(tracks: Iterable<MachineTrack>): Work | null {
  let chosen: MachineTrack[] = []
  let fromMs = -Infinity
  for (const track of tracks) {
    const first = track.dirty.first
    if (first === undefined || first < fromMs) continue
    if (first > fromMs) chosen = [track]
    else if (chosen.length < sliceMachines && chosen[0]?.company === track.company) chosen.push(track)
    fromMs = first
  }
  const [first] = chosen
  if (!first) return null
  const hours = Math.max(1, Math.floor(sliceHours / chosen.length))
  const endMs = Math.max(...chosen.map(track => endOf(track, fromMs)))
  return { company: first.company, tracks: chosen, fromMs, toMs: Math.min(endMs, fromMs + hours * hourMs) }
}

/** Behind a machine's last dirty hour, and as far as its change may run on. */
function endOf({ dirty, lastSlotMs, reachHours }: MachineTrack, fromMs: number): number {
  const reachMs = Math.min(lastSlotMs + hourMs, fromMs + reachHours * hourMs)
  return Math.max((dirty.last ?? fromMs) + hourMs, reachMs)
}
