import { type DemoLanguage, inLanguage } from './language.ts'
import { Random, hash, uuidOf } from './random.ts'

/** Constant properties of a simulated machine. */
export interface Profile {
  readonly id: string
  /** Index of the machine in the plant. */
  readonly index: number
  readonly name: string
  readonly make: string
  readonly model: string
  readonly group: string
  /** Keys of its EXECUTION items, one per path. */
  readonly executions: readonly string[]
  /** Time in cycle of one part without interruptions. */
  readonly idealCycleMs: number
  readonly loadMs: number
  readonly spindleRpm: number
  /** How parts are counted. */
  readonly counts: 'counter' | 'cycle' | 'program'
  /** How cutting is detected: by a CUTTING item, or by the load of the spindle. */
  readonly cuts: 'signal' | 'load'
  /** Whether the machine is switched off outside working hours, instead of idle. */
  readonly isSwitchedOff: boolean
  /** Probability that the machine works in a night shift. */
  readonly nightWork: number
  /** Probabilities, after each part, of a stop by an alarm, and of a stop for another reason. */
  readonly faultRate: number
  readonly stopRate: number
}

const kinds = [
  {
    group: 'Turning',
    prefix: 'Lathe',
    make: 'Drehwerk',
    models: ['TL-200', 'TL-350Y'],
    cycleS: [80, 400],
    rpm: [800, 3_500],
  },
  {
    group: 'Milling',
    prefix: 'Mill',
    make: 'Fraeswerk',
    models: ['VM-5', 'HM-63'],
    cycleS: [180, 900],
    rpm: [2_000, 12_000],
  },
  {
    group: 'Mill-turn',
    prefix: 'MillTurn',
    make: 'Kombiwerk',
    models: ['MT-100'],
    cycleS: [240, 800],
    rpm: [1_000, 6_000],
  },
  {
    group: 'Grinding',
    prefix: 'Grinder',
    make: 'Schleifwerk',
    models: ['CG-40'],
    cycleS: [60, 240],
    rpm: [1_500, 4_000],
  },
] as const satisfies readonly Kind[]

interface Kind {
  readonly group: string
  readonly prefix: string
  readonly make: string
  readonly models: readonly [string, ...string[]]
  readonly cycleS: readonly [number, number]
  readonly rpm: readonly [number, number]
}

/** Names of the machine groups. */
export const profileGroups: readonly string[] = kinds.map(({ group }) => group)

/** Returns the profile of the machine with an index; equal for equal seeds, except for the language of its names. */
export function createProfile(seed: number, index: number, language: DemoLanguage): Profile {
  const random = new Random(hash(seed, index))
  const kind: Kind = kinds[index % kinds.length] ?? kinds[0]
  return {
    id: uuidOf(seed, index),
    index,
    name: `${inLanguage(language, kind.prefix)} ${String(Math.floor(index / kinds.length) + 1).padStart(2, '0')}`,
    make: kind.make,
    model: random.pick(kind.models),
    group: inLanguage(language, kind.group),
    executions: kind.group === 'Mill-turn' ? ['execution', 'execution2'] : ['execution'],
    idealCycleMs: 1000 * random.integer(...kind.cycleS),
    loadMs: 1000 * random.integer(12, 50),
    spindleRpm: 50 * random.integer(kind.rpm[0] / 50, kind.rpm[1] / 50),
    counts: index % 8 === 5 ? 'cycle' : index % 8 === 7 ? 'program' : 'counter',
    cuts: index % 3 === 1 ? 'load' : 'signal',
    isSwitchedOff: random.chance(0.6),
    nightWork: random.pick([0, 0.3, 0.8, 0.95]),
    faultRate: random.between(0.004, 0.02),
    stopRate: random.between(0.01, 0.05),
  }
}
