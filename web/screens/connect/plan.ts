import type {
  connectorInput,
  ConnectorKind,
  ConnectorMachine,
  ConnectorResponse,
} from '../../../schema/records/connector.ts'
import type { DiscoveredDevice } from '../../../schema/requests/connector-trial.ts'
import { originOf } from '../../../schema/records/connector-origin.ts'
import type { Infer } from '../../../schema/types.ts'
import { newId } from '../../data/new-id.ts'

type ConnectorInput = Infer<typeof connectorInput>
export type Rule = NonNullable<ConnectorInput['rules']>[number]

/** Kinds of sources that a user can read. */
export const sourceKinds = ['mtconnect', 'mqtt', 'shdr', 'http'] as const satisfies readonly ConnectorKind[]
export type SourceKind = (typeof sourceKinds)[number]

/** A source as the user entered it. */
export interface Source {
  readonly kind: SourceKind
  readonly address: string
  readonly user: string
  readonly password: string
  /** Other secrets, which were stored for another address and entered again. */
  readonly secrets: Readonly<Partial<Record<SecretField, string>>>
  /** Machine whose posted samples are read; '' for other kinds. */
  readonly machineId: string
}

export type SecretField = keyof ConnectorResponse['secrets']

/** A source before the user enters it. */
export const noSource = { address: '', user: '', password: '', secrets: {}, machineId: '' } as const

/** A device, or all topics, that becomes a machine. */
export interface Assignment {
  /** Name of the device; of a broker the topics. */
  readonly source: string
  readonly isUsed: boolean
  /** null: the machine is created, with `newMachineId`. */
  readonly machineId: string | null
  readonly newMachineId: string
  readonly newName: string
  readonly countsSingleParts: boolean
  /** Entry of a stored connector, whose other settings stay. */
  readonly stored?: ConnectorMachine
}

export const meanings = ['state', 'parts', 'alarm', 'spindle', 'other'] as const
export type Meaning = (typeof meanings)[number]

/** A value that the user maps. */
export interface MappedValue {
  readonly from: string
  readonly meaning: Meaning
  readonly path: string
  /** Lines such as `3 = ACTIVE`. */
  readonly values: string
  /** Fields of a stored rule that the form does not show. */
  readonly more?: Pick<Rule, 'key' | 'time' | 'timeUnit'>
}

/** A stored rule that the form cannot show: it stays as it is. */
export interface KeptRule {
  readonly kept: Rule
}

/** All that a connector is made of. */
export interface Plan {
  readonly connectorId: string
  readonly name: string
  readonly source: Source
  readonly assignments: readonly Assignment[]
  /** In this order: the first rule of a value decides. */
  readonly rules: readonly (MappedValue | KeptRule)[]
  /** The connector that is changed; null: a new one is created. */
  readonly stored: ConnectorResponse | null
  /** Machines of `stored` that the form cannot show: they stay as they are. */
  readonly keptMachines: readonly ConnectorMachine[]
}

/** Whether the form shows a rule. */
export function isMapped(rule: MappedValue | KeptRule): rule is MappedValue {
  return !('kept' in rule)
}

/** Adds the mapping of a value, before stored rules of more values: the first one decides. */
export function withRule(rules: Plan['rules'], mapped: MappedValue): Plan['rules'] {
  const at = rules.findIndex(each => !isMapped(each))
  return at < 0 ? [...rules, mapped] : rules.toSpliced(at, 0, mapped)
}

/** The assignment of a device; a machine of the same name is proposed. */
export function assignmentOf(device: DiscoveredDevice, isUsed: boolean): Assignment {
  const { name, machineId, countsSingleParts } = device
  return { source: name, isUsed, machineId, newMachineId: newId(), newName: name, countsSingleParts }
}

/** The mapping of a value before the user changes it: a guess by its name. */
export function mappedOf(from: string, example: string): MappedValue {
  const name = from.toLowerCase()
  const meaning: Meaning = /state|status|exec|mode|w4/.test(name)
    ? 'state'
    : /part|count/.test(name)
      ? 'parts'
      : /alarm|fault|error/.test(name)
        ? 'alarm'
        : /speed|rpm|spindle/.test(name)
          ? 'spindle'
          : 'other'
  const isBoolean = /^\s*(?:\{\s*"\w+"\s*:\s*)?(?:true|false)\b/.test(example)
  const alarms = isBoolean ? 'true = FAULT\nfalse = NORMAL' : '1 = FAULT\n0 = NORMAL'
  return { from, meaning, path: pathIn(example), values: meaning === 'alarm' ? alarms : '' }
}

/** The first field of a JSON object, otherwise the whole value. */
function pathIn(example: string): string {
  const [, field] = /^\s*\{\s*"(\w+)"/.exec(example) ?? []
  return field === undefined ? '$' : `$.${field}`
}

/** Type and category of the samples of each meaning. */
export const types: Readonly<
  Record<Exclude<Meaning, 'other'>, readonly [type: string, category: NonNullable<Rule['category']>]>
> = {
  state: ['EXECUTION', 'EVENT'],
  parts: ['PART_COUNT', 'EVENT'],
  alarm: ['SYSTEM', 'CONDITION'],
  spindle: ['ROTARY_VELOCITY', 'SAMPLE'],
}

/** The rule of a mapping. */
export function ruleOf({ from, meaning, path, values, more = {} }: MappedValue): Rule {
  const key = more.key ?? from.split('/').slice(-2).join('.')
  const [type, category] = meaning === 'other' ? [key.toUpperCase(), 'EVENT' as const] : types[meaning]
  const pairs = values.split('\n').flatMap(line => {
    const [, value = '', to = ''] = /^([^=]+)=([^=]+)$/.exec(line) ?? []
    return value.trim() === '' ? [] : [[value.trim(), to.trim()] as const]
  })
  const map: Readonly<Record<string, string>> = Object.fromEntries(pairs)
  const isWord = hasValues(meaning) && pairs.length > 0
  return { ...more, from, value: path.trim() || '$', key, type, category, ...(isWord && { map }) }
}

/** Whether the values of a meaning are words, to which those of the source are mapped. */
export function hasValues(meaning: Meaning): boolean {
  return meaning === 'state' || meaning === 'alarm'
}

/** The machine of an assignment. */
export function machineIdOf({ machineId, newMachineId }: Assignment): string {
  return machineId ?? newMachineId
}

/** Fields of the secrets that were stored for another scheme, host or port, for which alone they are used. */
export function movedSecrets({ source, stored }: Pick<Plan, 'source' | 'stored'>): readonly SecretField[] {
  if (stored === null || originOf(stored.address) === originOf(source.address)) return []
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are those of the response
  return Object.keys(stored.secrets) as SecretField[]
}

/** Secrets that the user has entered. */
export function enteredSecrets({ password, secrets }: Source): Source['secrets'] {
  const entries = Object.entries({ ...secrets, password }).filter(([, text]) => text !== '')
  return Object.fromEntries(entries)
}

/** The machines of the connector. */
export function machinesOf({ source, assignments, keptMachines }: Plan): NonNullable<ConnectorInput['machines']> {
  const { kind, machineId } = source
  if (kind === 'http')
    return keptMachines.some(each => each.machineId === machineId) ? keptMachines : [...keptMachines, { machineId }]
  return [...keptMachines, ...assignments.filter(({ isUsed }) => isUsed).map(each => machineOf(each, kind))]
}

/** The body of the connector; secrets that it omits stay. */
export function connectorOf(plan: Plan): ConnectorInput {
  const { connectorId, name, source, rules, stored } = plan
  const { kind, address, user } = source
  const removed = movedSecrets(plan).map(field => [field, null] as const)
  const secrets = { ...Object.fromEntries(removed), ...enteredSecrets(source) }
  return {
    name: name.trim() === '' ? connectorId : name,
    kind,
    address: kind === 'http' ? null : address,
    ...(stored !== null && { enabled: stored.enabled, sourceId: stored.sourceId }),
    machines: machinesOf(plan),
    ...((kind !== 'mtconnect' || stored !== null) && {
      rules: rules.map(each => (isMapped(each) ? ruleOf(each) : each.kept)),
    }),
    options: { ...stored?.options, user: user === '' ? null : user },
    ...(Object.keys(secrets).length > 0 && { secrets }),
  }
}

function machineOf(assignment: Assignment, kind: SourceKind): NonNullable<ConnectorInput['machines']>[number] {
  const { source, stored } = assignment
  const machineId = machineIdOf(assignment)
  return stored ? { ...stored, machineId } : { source: kind === 'mqtt' ? '#' : source, machineId }
}

/** Topics of the rules; none: all are read. */
export function topicsOf({ rules, source }: Pick<Plan, 'rules' | 'source'>): readonly string[] {
  return source.kind === 'mqtt' ? rules.map(each => (isMapped(each) ? each.from : each.kept.from)) : []
}

/** Reads the JSON of a connector that a user has pasted; null: the text is another one. */
export function parsePasted(text: string): Pick<Plan, 'name' | 'source'> | null {
  try {
    const { name = '', kind, address, options }: Partial<ConnectorInput> = JSON.parse(text)
    const known = sourceKinds.find(each => each === kind)
    if (known === undefined || typeof address !== 'string') return null
    return { name, source: { ...noSource, kind: known, address, user: options?.user ?? '' } }
  } catch {
    return null
  }
}
