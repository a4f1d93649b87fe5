import type { Phase } from './day-plan.ts'
import type { Event } from './phase-events.ts'
import type { Profile } from './profile.ts'
import { Random, hash } from './random.ts'

const axes = ['X', 'Y', 'Z'] as const

/**
 * Returns the samples of one second that do not change state: none without power, few while idle, on average 1.2 in a
 * cycle, up to 68 in a burst.
 */
export function bulkEvents(seed: number, profile: Profile, { kind }: Phase, secondMs: number): readonly Event[] {
  if (kind === 'off') return []
  const random = new Random(hash(seed, profile.index, secondMs / 1000, 3))
  const count = kind === 'cycle' ? countInCycle(random) : random.chance(0.1) ? 1 : 0
  return Array.from({ length: count }, (_, i) => {
    const atMs = secondMs + Math.floor(((i + random.next()) / count) * 1000)
    return kind === 'cycle' ? cycleValue(atMs, profile, random) : temperature(atMs, random)
  })
}

function countInCycle(random: Random): number {
  if (random.chance(1 / 400)) return random.integer(20, 69)
  return [0, 0, 0, 0, 1, 1, 1, 2, 2, 4][random.integer(0, 10)] ?? 1
}

function cycleValue(atMs: number, { index }: Profile, random: Random): Event {
  const what = random.next()
  if (what < 0.6) {
    const axis = random.integer(0, axes.length)
    const key = `${axes[axis]}abs`
    const value = round(250 * Math.sin(atMs / (3_000 + 700 * axis + 13 * index)) + random.next(), 4)
    return { atMs, key, type: 'POSITION', subtype: 'ACTUAL', value, category: 'SAMPLE' }
  }
  if (what < 0.75) return measured(atMs, `${random.pick(axes)}load`, 'LOAD', round(random.between(5, 60), 1))
  if (what < 0.87) {
    return { ...measured(atMs, 'Fact', 'PATH_FEEDRATE', round(random.between(0, 65), 1)), subtype: 'ACTUAL' }
  }
  if (what < 0.97) return { atMs, key: 'line', type: 'LINE', value: random.integer(1, 4_000), category: 'EVENT' }
  return temperature(atMs, random)
}

function temperature(atMs: number, random: Random): Event {
  return measured(atMs, 'Stemp', 'TEMPERATURE', round(random.between(24, 41), 1))
}

function measured(atMs: number, key: string, type: string, value: number): Event {
  return { atMs, key, type, value, category: 'SAMPLE' }
}

function round(value: number, digits: number): number {
  const unit = 10 ** digits
  return Math.round(value * unit) / unit
}
