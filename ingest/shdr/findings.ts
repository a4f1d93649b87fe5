import type { PartCounter } from '../../schema/records/machine.ts'
import { canonicalName } from '../../schema/sample.ts'
import { isExecutionValue } from '../../schema/execution-values.ts'
import { roleOf, type SampleRole } from '../../processors/timeline/names.ts'
import type { Device } from './devices.ts'
import type { FaultCode, ShdrFault } from './parsed-line.ts'
import type { ReplaySample } from './sample.ts'

/** A key of the log and its samples. */
export interface KeyFinding {
  readonly key: string
  readonly type: string
  /** Whether the device has the key. */
  readonly isKnown: boolean
  readonly samples: number
  /** First value that is not UNAVAILABLE. */
  readonly example: string
}

/** The meaning of a log's samples for its machine. */
export interface Findings {
  /** EXECUTION and EMERGENCY_STOP. */
  readonly state: readonly KeyFinding[]
  /** Speeds, and keys that report rotating or cutting. */
  readonly spindle: readonly KeyFinding[]
  readonly parts: readonly KeyFinding[]
  readonly alarms: readonly KeyFinding[]
  readonly unknownKeys: readonly KeyFinding[]
  /** Reasons for missing or wrong states or parts in reports. */
  readonly problems: readonly string[]
  /** Whether EXECUTION has a sample: without one, the machine is always UNAVAILABLE. */
  readonly hasState: boolean
}

/** Settings of the machine that determine which samples count parts. */
export interface PartSettings {
  readonly partCounter: PartCounter
  readonly partCountKey: string | null
}

/** Limit of keys: an invalid log may have a new key in each line. */
const maxKeys = 10_000
const maxExamples = 3
const maxExampleLength = 60
const spindleRoles: ReadonlySet<SampleRole> = new Set(['speed', 'rotating', 'cutting'])

/** Predicates of one line and of several; null: the summary lists other devices by name. */
const faultTexts: Readonly<Record<FaultCode, readonly [one: string, several: string] | null>> = {
  not_shdr: ['is not SHDR', 'are not SHDR'],
  missing_value: ['lacks a field of a key', 'lack a field of a key'],
  invalid_key: ['has a field in place of a key', 'have a field in place of a key'],
  invalid_data_set: ['has a data set that cannot be read', 'have a data set that cannot be read'],
  data_set_too_long: ['has a data set above 16,384 characters', 'have a data set above 16,384 characters'],
  no_device: ['is before a device command', 'are before a device command'],
  unknown_device: null,
  line_too_long: ['is longer than 1 MiB', 'are longer than 1 MiB'],
  too_many_values: ['has more than 2,000 values, or 4 MiB of them', 'have more than 2,000 values, or 4 MiB of them'],
  multiline_too_long: ['ends a value longer than 1 MiB', 'end a value longer than 1 MiB'],
  multiline_without_end: ['is in a value that does not end', 'are in a value that does not end'],
}

interface Counted extends KeyFinding {
  readonly role: SampleRole
  readonly isDiscrete: boolean
  samples: number
  example: string
}

/** Collects the meaning of samples for the machine while a log is sent. */
export class ReplayFindings {
  readonly #device: Device
  readonly #keys = new Map<string, Counted>()
  readonly #strangeValues = new Set<string>()
  readonly #faults = new Map<FaultCode, { lines: number; readonly examples: string[] }>()

  constructor(device: Device) {
    this.#device = device
  }

  addSamples(samples: readonly ReplaySample[]): void {
    for (const sample of samples) {
      const counted = this.#countedOf(sample)
      if (!counted) continue
      const value = String(sample.value)
      counted.samples++
      if (counted.example === '' && value.toUpperCase() !== 'UNAVAILABLE') counted.example = shortened(value)
      if (counted.role === 'execution' && !isExecutionValue(value) && this.#strangeValues.size < maxExamples)
        this.#strangeValues.add(shortened(value))
    }
  }

  /** Counts the faults of a line. */
  addFaults(faults: readonly ShdrFault[], line: string, number: number): void {
    for (const { code, detail } of faults) {
      const counted = this.#faults.get(code) ?? { lines: 0, examples: [] }
      this.#faults.set(code, counted)
      counted.lines++
      if (counted.examples.length >= maxExamples) continue
      const named = detail === '' ? '' : `${shortened(detail)} in `
      counted.examples.push(`line ${number}: ${named}${shortened(line)}`)
    }
  }

  summary({ partCounter, partCountKey }: PartSettings): Findings {
    const keys = [...this.#keys.values()]
    const executions = keys.filter(({ role }) => role === 'execution')
    const parts = keys.filter(partKeyOf({ partCounter, partCountKey }))
    return {
      state: keys.filter(({ role }) => role === 'execution' || role === 'stop'),
      spindle: keys.filter(({ role }) => spindleRoles.has(role)),
      parts,
      alarms: keys.filter(({ role }) => role === 'condition'),
      unknownKeys: keys.filter(({ isKnown }) => !isKnown),
      hasState: executions.length > 0,
      problems: [
        ...this.#stateProblems(keys, executions.length > 0),
        ...this.#partProblems(parts, partCounter),
        ...this.#lineProblems(),
      ],
    }
  }

  #lineProblems(): readonly string[] {
    return [...this.#faults].flatMap(([code, { lines, examples }]) => {
      const problem = faultTexts[code]
      const first = lines === 1 ? '' : ', the first ones'
      const count = lines === 1 ? '1 line' : `${lines} lines`
      return problem === null ? [] : [`${count} ${problem[lines === 1 ? 0 : 1]}${first}: ${examples.join(', ')}`]
    })
  }

  #countedOf({ key, type, subtype = '', category = 'EVENT' }: ReplaySample): Counted | undefined {
    const known = this.#keys.get(key)
    if (known || this.#keys.size >= maxKeys) return known
    const item = this.#device.items.get(key)
    const counted: Counted = {
      key,
      type,
      role: roleOf({ category, type, subtype: subtype.toUpperCase() }),
      isDiscrete: item?.isDiscrete === true,
      isKnown: item !== undefined,
      samples: 0,
      example: '',
    }
    this.#keys.set(key, counted)
    return counted
  }

  #stateProblems(keys: readonly Counted[], hasState: boolean): readonly string[] {
    const strange = [...this.#strangeValues].join(', ')
    if (strange !== '')
      return [`EXECUTION has values that MTConnect does not have, which count as not in cycle: ${strange}`]
    if (hasState) return []
    const similar = keys.filter(({ isKnown, example }) => !isKnown && isExecutionValue(example)).map(({ key }) => key)
    const hint = similar.length > 0 ? `; keys with such values: ${similar.slice(0, maxExamples).join(', ')}` : ''
    return [`No key of type EXECUTION has a sample: the machine is UNAVAILABLE${hint}`]
  }

  #partProblems(parts: readonly Counted[], partCounter: PartCounter): readonly string[] {
    const discrete = parts.filter(({ isDiscrete }) => isDiscrete).map(({ key }) => key)
    return discrete.length > 0 && partCounter === 'counter'
      ? [
          `${discrete.join(', ')} reports each part (DISCRETE), but partCounter of the machine is counter: set it to increment`,
        ]
      : []
  }
}

/** Selects the keys that count parts, as the timeline of the machine does. */
function partKeyOf({ partCounter, partCountKey }: PartSettings): (key: Counted) => boolean {
  const isNamed = ({ key }: Counted) => partCountKey !== null && canonicalName(key) === canonicalName(partCountKey)
  switch (partCounter) {
    case 'counter':
    case 'increment':
      return partCountKey === null ? ({ role }) => role === 'count' : isNamed
    case 'cycle':
    case 'program':
      return key => key.role === 'execution' && (partCountKey === null || isNamed(key))
    case 'none':
      return () => false
    default:
      return partCounter satisfies never
  }
}

/** Whether each part counter of a device reports single parts instead of a running total. */
export function countsSingleParts({ items }: Device): boolean {
  const counters = [...items.values()].filter(({ category, type, subtype }) => {
    return roleOf({ category, type, subtype: subtype.toUpperCase() }) === 'count'
  })
  return counters.length > 0 && counters.every(({ isDiscrete }) => isDiscrete === true)
}

function shortened(text: string): string {
  return text.length > maxExampleLength ? `${text.slice(0, maxExampleLength)}…` : text
}
