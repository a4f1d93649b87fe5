import type { ConnectorMachine, ConnectorRecord, MappingRule } from '../../schema/records/connector.ts'
import { assignedMachines, templateName } from '../../schema/records/connector-machines.ts'
import { matchesTopic, parseTopicPattern, type TopicPattern } from '../../schema/topic-pattern.ts'
import { formats } from '../../schema/check.ts'
import type { Category } from '../../schema/sample.ts'
import { type CompiledRule, compileRule } from './compile-rule.ts'

/** The machine of a topic. */
export interface TopicMachine {
  readonly id: string
  /** Added to the times of the source. */
  readonly offsetUs: number
}

/** Names of the samples of a rule and a machine. */
export interface SampleNames {
  readonly machineId: string
  readonly key: string
  readonly type: string
  readonly subtype?: string
  readonly category?: Category
}

/** A rule whose topic matches. */
export interface TopicRule {
  readonly compiled: CompiledRule
  /** Names of its samples, and their id; null: the topic has no machine, or the rule has no key or type. */
  readonly named: { readonly id: string; readonly names: SampleNames } | null
}

/** The rules whose topic matches, in order, and the machine; null: `machines` names none. */
export interface TopicRoute {
  readonly rules: readonly TopicRule[]
  readonly machine: TopicMachine | null
}

/** Limit of the topics whose routes are kept. */
const maxTopics = 10_000
/** Longer topics are looked up each time, so that topics do not fill the memory. */
const maxKeptLength = 1_000

/** Finds the rules and the machine of topics. */
export class TopicRoutes {
  readonly #rules: readonly (readonly [TopicPattern, CompiledRule])[]
  readonly #machines: readonly (readonly [TopicPattern, MachineOfTopic])[]
  readonly #known = new Map<string, TopicRoute>()
  /** Names that the rules give, by `nameText`. */
  readonly #names: ReadonlySet<string>
  /** null: the topics have the ids of machines. */
  readonly #machineIds: ReadonlySet<string> | null

  constructor({ rules, machines, options }: Pick<ConnectorRecord, 'rules' | 'machines' | 'options'>) {
    this.#names = new Set(rules.map(nameText))
    const isAny = machines.some(({ machineId }) => templateName(machineId) !== undefined)
    this.#machineIds = isAny ? null : new Set([...assignedMachines({ machines })].map(([, id]) => id))
    this.#rules = rules.map((rule, index) => [patternOf(rule.from), compileRule(rule, index)])
    this.#machines = machines.map(machine => {
      const pattern = patternOf(machine.source ?? '#')
      return [pattern, machineOf(machine, pattern, (machine.timeOffsetMs + options.timeOffsetMs) * 1_000)]
    })
  }

  of(topic: string): TopicRoute {
    const known = this.#known.get(topic)
    if (known !== undefined) return known
    const levels = topic.split('/')
    const machine = this.#findMachine(levels)
    const rules = this.#rules.flatMap(([pattern, compiled]) =>
      matchesTopic(pattern, levels) ? [{ compiled, named: machine && nameSamples(compiled, machine.id) }] : [],
    )
    const route = { rules, machine }
    if (topic.length > maxKeptLength) return route
    if (this.#known.size >= maxTopics) this.#known.clear()
    this.#known.set(topic, route)
    return route
  }

  /** Whether samples may have a machine. */
  mayRead(machineId: string): boolean {
    return this.#machineIds === null || this.#machineIds.has(machineId)
  }

  /** Whether samples may have a key, type and subtype. */
  mayName(names: Pick<SampleNames, 'key' | 'type' | 'subtype'>): boolean {
    return this.#names.has(nameText(names))
  }

  /** The first machine whose source matches the first levels of the topic, and which exists for its captured values. */
  #findMachine(levels: readonly string[]): TopicMachine | null {
    for (const [pattern, find] of this.#machines) {
      const found = matchesTopic(pattern, levels, { isPrefix: true }) ? find(levels) : null
      if (found !== null) return found
    }
    return null
  }
}

function nameText({ key, type, subtype = '' }: Pick<MappingRule, 'key' | 'type' | 'subtype'>): string {
  return JSON.stringify([key, type, subtype])
}

function nameSamples({ rule }: CompiledRule, machineId: string): TopicRule['named'] {
  const { key, type, subtype, category } = rule
  if (key === undefined || type === undefined) return null
  const names = {
    machineId,
    key,
    type,
    ...(subtype !== undefined && { subtype }),
    ...(category !== undefined && { category }),
  }
  return { id: JSON.stringify([machineId, key, type, subtype ?? '']), names }
}

type MachineOfTopic = (levels: readonly string[]) => TopicMachine | null

function machineOf({ machineId }: ConnectorMachine, { captures }: TopicPattern, offsetUs: number): MachineOfTopic {
  const captured = (name: string | undefined, levels: readonly string[]): string =>
    levels[captures.get(name ?? '') ?? -1] ?? ''
  if (typeof machineId === 'object') {
    const [name] = captures.keys()
    const machines = new Map(Object.entries(machineId).map(([value, id]) => [value, { id, offsetUs }]))
    return levels => machines.get(captured(name, levels)) ?? null
  }
  const name = templateName(machineId)
  if (name === undefined) return () => ({ id: machineId, offsetUs })
  return levels => {
    const id = captured(name, levels).toLowerCase()
    return formats.uuid(id) ? { id, offsetUs } : null
  }
}

function patternOf(text: string): TopicPattern {
  const pattern = parseTopicPattern(text)
  if (pattern === null) throw new Error('invariant: the topics of a connector were validated')
  return pattern
}
