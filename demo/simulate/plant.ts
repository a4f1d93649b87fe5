import type { WireBatch } from '../../schema/topics.ts'
import { bulkEvents } from './bulk-events.ts'
import { planDay, type Phase } from './day-plan.ts'
import { dayMs } from '../../shared/time/units.ts'
import type { DemoLanguage } from './language.ts'
import { phaseEvents, type Event } from './phase-events.ts'
import { createProfile, type Profile } from './profile.ts'
import { Random, hash } from './random.ts'

export interface PlantOptions {
  /** Plants with equal seeds are equal. */
  readonly seed: number
  /** Number of machines; default: 24. */
  readonly machines?: number
  /** Whether the plant works on every day; by default it works little on Saturdays and not on Sundays. */
  readonly isDaily?: boolean
  /** Language of the names; default: English. */
  readonly language?: DemoLanguage | undefined
}

export type SimulatedSample = WireBatch['samples'][number]

/** A simulated plant. The activity of a machine at an instant depends only on the seed, not on earlier calls. */
export interface Plant {
  readonly language: DemoLanguage
  readonly machines: readonly Profile[]
  /** Returns the phases of a machine on the UTC day that starts at `dayStartMs` (UTC ms). */
  phases(machine: number, dayStartMs: number): readonly Phase[]
  /**
   * Returns the machine's samples with `fromMs <= timestamp < toMs` (UTC ms), by timestamp. Adjacent intervals return
   * the same samples as the combined interval. `bulk` adds samples that do not change state, about fifty times as many.
   */
  samples(
    machine: number,
    fromMs: number,
    toMs: number,
    options: { readonly bulk: boolean },
  ): readonly SimulatedSample[]
}

export function createPlant({ seed, machines: count = 24, isDaily = false, language = 'en' }: PlantOptions): Plant {
  const machines = Array.from({ length: count }, (_, index) => createProfile(seed, index, language))
  // Cache of each machine's current day: the simulation reads it every second.
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
    if (profile === undefined) throw new RangeError(`Unknown machine index ${machine}`)
    return profile
  }

  return {
    language,
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

/** Adds the bulk samples of the seconds that start in the phase and overlap the interval. */
function addBulk(events: Event[], seed: number, profile: Profile, phase: Phase, fromMs: number, toMs: number): void {
  const firstMs = Math.ceil(phase.startMs / 1000) * 1000
  const intervalStartMs = Math.floor(fromMs / 1000) * 1000
  const endMs = Math.min(phase.endMs, toMs)
  for (let secondMs = Math.max(firstMs, intervalStartMs); secondMs < endMs; secondMs += 1000) {
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
