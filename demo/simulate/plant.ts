import type { WireBatch } from '../../schema/topics.ts'
import { bulkEvents } from './bulk-events.ts'
import { planDay, type Phase } from './day-plan.ts'
import { dayMs } from '../../shared/time/units.ts'
import { phaseEvents, type Event } from './phase-events.ts'
import { createProfile, type Profile } from './profile.ts'
import { Random, hash } from './random.ts'

export interface PlantOptions {
  /** Plants of the same seed are the same. */
  readonly seed: number
  /** How many machines; 24 by default. */
  readonly machines?: number
  /** Whether it works on every day; by default little on Saturdays and not at all on Sundays. */
  readonly isDaily?: boolean
}

export type SimulatedSample = WireBatch['samples'][number]

/** A simulated plant: what each machine does at any instant depends on the seed alone, not on what was asked before. */
export interface Plant {
  readonly machines: readonly Profile[]
  /** Activities of a machine on the UTC day that begins at the instant (UTC ms). */
  phases(machine: number, dayStartMs: number): readonly Phase[]
  /**
   * The machine's samples with `fromMs <= timestamp < toMs` (UTC ms), by timestamp. Two halves of an interval give the samples of
   * the whole. `bulk`: also the values that decide no state, some fifty times as many.
   */
  samples(
    machine: number,
    fromMs: number,
    toMs: number,
    options: { readonly bulk: boolean },
  ): readonly SimulatedSample[]
}

export function createPlant({ seed, machines: count = 24, isDaily = false }: PlantOptions): Plant {
  const machines = Array.from({ length: count }, (_, index) => createProfile(seed, index))
  // The current day of each machine: live simulation reads it every second.
  const days = machines.map(() => ({ startMs: Number.NaN, phases: [] as readonly Phase[] }))

  function phasesOf(profile: Profile, dayStartMs: number): readonly Phase[] {
    const day = days[profile.index]
    if (day?.startMs === dayStartMs) return day.phases
    const phases = planDay(seed, profile, dayStartMs, isDaily)
    days[profile.index] = { startMs: dayStartMs, phases }
    return phases
  }

  function* phasesIn(profile: Profile, fromMs: number, toMs: number): Iterable<Phase> {
    for (let dayStartMs = Math.floor(fromMs / dayMs) * dayMs; dayStartMs < toMs; dayStartMs += dayMs) {
      const phases = phasesOf(profile, dayStartMs)
      for (let i = firstEndingAfter(phases, fromMs); i < phases.length; i++) {
        const phase = phases[i]
        if (phase === undefined || phase.startMs >= toMs) break
        yield phase
      }
    }
  }

  function profileOf(machine: number): Profile {
    const profile = machines[machine]
    if (profile === undefined) throw new RangeError(`there is no machine ${machine}`)
    return profile
  }

  return {
    machines,
    phases: (machine, dayStartMs) => planDay(seed, profileOf(machine), dayStartMs, isDaily),
    samples(machine, fromMs, toMs, { bulk }) {
      const profile = profileOf(machine)
      const events: Event[] = []
      for (const phase of phasesIn(profile, fromMs, toMs)) {
        const random = new Random(hash(seed, profile.index, Math.floor(phase.startMs / dayMs), phase.index, 2))
        const own = [...phaseEvents(phase, profile, random)]
        if (bulk) addBulk(own, seed, profile, phase, fromMs, toMs)
        const startMs = Math.max(fromMs, phase.startMs)
        const endMs = Math.min(toMs, phase.endMs)
        events.push(...own.filter(({ atMs }) => atMs >= startMs && atMs < endMs))
      }
      return events.sort((a, b) => a.atMs - b.atMs).map(toSample)
    },
  }
}

/** Bulk values of the seconds that begin in the phase, as far as the interval touches them. */
function addBulk(events: Event[], seed: number, profile: Profile, phase: Phase, fromMs: number, toMs: number): void {
  const firstMs = Math.ceil(phase.startMs / 1000) * 1000
  const askedMs = Math.floor(fromMs / 1000) * 1000
  const endMs = Math.min(phase.endMs, toMs)
  for (let secondMs = Math.max(firstMs, askedMs); secondMs < endMs; secondMs += 1000) {
    events.push(...bulkEvents(seed, profile, phase, secondMs))
  }
}

function firstEndingAfter(phases: readonly Phase[], atMs: number): number {
  let low = 0
  let high = phases.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((phases[middle]?.endMs ?? 0) > atMs) high = middle
    else low = middle + 1
  }
  return low
}

function toSample({ atMs, ...rest }: Event): SimulatedSample {
  return { timestamp: new Date(atMs).toISOString(), ...rest }
}
