import { Random, hash, uuidOf } from './random.ts'

/** Properties of a simulated machine, which never change. */
export interface Profile {
  readonly id: string
  /** Rises from 0. */
  readonly index: number
  readonly name: string
  readonly make: string
  readonly model: string
  readonly group: string
  /** Keys of its EXECUTION items: one a path. */
  readonly executions: readonly string[]
  /** Time in cycle of one part when nothing holds it up. */
  readonly idealCycleMs: number
  readonly loadMs: number
  readonly spindleRpm: number
  /** How it tells its parts. */
  readonly counts: 'counter' | 'cycle' | 'program'
  /** How it tells that it cuts: a CUTTING item, or its spindle's load. */
  readonly cuts: 'signal' | 'load'
  /** Whether the machine is switched off, not only idle, outside working hours. */
  readonly isSwitchedOff: boolean
  /** Chance that it works in a night shift of a weekday, and on a Saturday. */
  readonly nightWork: number
  /** Chance that a fault stops it after a part, and that work stops for another reason. */
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

/** The groups that machines belong to. */
export const profileGroups: readonly string[] = kinds.map(({ group }) => group)

/** The machine of an index: the same for the same seed. */
export function createProfile(seed: number, index: number): Profile {
  const random = new Random(hash(seed, index))
  const kind: Kind = kinds[index % kinds.length] ?? kinds[0]
  return {
    id: uuidOf(seed, index),
    index,
    name: `${kind.prefix} ${String(Math.floor(index / kinds.length) + 1).padStart(2, '0')}`,
    make: kind.make,
    model: random.pick(kind.models),
    group: kind.group,
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
