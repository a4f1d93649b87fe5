import type { ConnectorMachine, ConnectorRecord, MappingRule } from '../../schema/records/connector.ts'
import { assignedMachines, templateName } from '../../schema/records/connector-machines.ts'
import { matchesTopic, parseTopicPattern, type TopicPattern } from '../../schema/topic-pattern.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import { ownCopy } from '../../shared/own-copy.ts'
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

/** Names of the samples of a rule and a machine, and their id in `DeliveredKeys`. */
export interface NamedKey {
  readonly id: string
  readonly names: SampleNames
}

/** The rules that may apply to a topic, in order, and its machine; null: `machines` names none. */
export interface TopicRoute {
  /** The last one has no `equals`, if one has none: those after it never apply. */
  readonly rules: readonly CompiledRule[]
  readonly machine: TopicMachine | null
}

/** Limit of the topics whose routes are kept. */
const maxTopics = 10_000
/** Limit of the rules in the routes that are kept, 8 bytes each: a thousand rules may match each topic. */
const maxRulesOfTopics = 1_000_000
/** Limit of the names that are kept: a connector has at most as many keys. */
const maxNames = 20_000
/** Longer topics are looked up each time, so that topics do not fill the memory. */
const maxKeptLength = 1_000

/** Finds the rules and the machine of topics. */
export class TopicRoutes {
  readonly #rules: readonly (readonly [TopicPattern, CompiledRule])[]
  readonly #machines: readonly (readonly [TopicPattern, MachineOfTopic])[]
  readonly #known = new Map<string, TopicRoute>()
  /** Number of rules in all known routes. */
  #ruleCount = 0
  readonly #named = new Map<CompiledRule, Map<string, NamedKey | null>>()
  #nameCount = 0
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
    const route = { rules: this.#findRules(levels), machine: this.#findMachine(levels) }
    if (topic.length <= maxKeptLength) this.#keep(topic, route)
    return route
  }

  /** Returns the names of the samples of a rule and a machine; null: the rule has no key or type. */
  namesOf(compiled: CompiledRule, machineId: string): NamedKey | null {
    const known = this.#named.get(compiled)?.get(machineId)
    if (known !== undefined) return known
    if (this.#nameCount >= maxNames) {
      this.#named.clear()
      this.#nameCount = 0
    }
    const named = nameSamples(compiled, machineId)
    getOrCreate(this.#named, compiled, () => new Map<string, NamedKey | null>()).set(machineId, named)
    this.#nameCount++
    return named
  }

  /** Whether samples may have a machine. */
  mayRead(machineId: string): boolean {
    return this.#machineIds === null || this.#machineIds.has(machineId)
  }

  /** Whether samples may have a key, type and subtype. */
  mayName(names: Pick<SampleNames, 'key' | 'type' | 'subtype'>): boolean {
    return this.#names.has(nameText(names))
  }

  #keep(topic: string, route: TopicRoute): void {
    if (this.#known.size >= maxTopics || this.#ruleCount + route.rules.length > maxRulesOfTopics) {
      this.#known.clear()
      this.#ruleCount = 0
    }
    this.#known.set(topic, route)
    this.#ruleCount += route.rules.length
  }

  #findRules(levels: readonly string[]): readonly CompiledRule[] {
    const rules: CompiledRule[] = []
    for (const [pattern, compiled] of this.#rules) {
      if (!matchesTopic(pattern, levels)) continue
      rules.push(compiled)
      if (compiled.equals === null) break
    }
    return rules
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

function nameSamples({ rule }: CompiledRule, machineId: string): NamedKey | null {
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
    return formats.uuid(id) ? { id: ownCopy(id), offsetUs } : null
  }
}

function patternOf(text: string): TopicPattern {
  const pattern = parseTopicPattern(text)
  if (pattern === null) throw new Error('invariant: the topics of a connector were validated')
  return pattern
}
