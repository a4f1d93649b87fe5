import type { ConnectorRecord, MappingRule } from '../../../schema/records/connector.ts'

/** A sample of the naive interpreter; times in UTC µs. */
export type NaiveSample = Readonly<Record<string, string | number>>

const dayUs = 86_400_000_000

interface NaiveMessage {
  readonly topic: string
  readonly text: string
  readonly receivedUs: number
}

interface Known {
  names: NaiveSample
  newest: number
  number: number | null
}

/**
 * Interprets the rules for each message anew, as the guide states them. Shares no code with the product. Returns the
 * samples of each message, and how many values gave none.
 */
export function mapNaively(
  { rules, machines, options }: Pick<ConnectorRecord, 'rules' | 'machines' | 'options'>,
  messages: readonly NaiveMessage[],
): { readonly samples: readonly (readonly NaiveSample[])[]; readonly unmapped: number } {
  let unmapped = 0
  const known: Known[] = []
  const samples = messages.map(({ topic, text, receivedUs }) => {
    const rule = rules.find(({ from, equals }) => topicRegExp(from, '$').test(topic) && (equals ?? text) === text)
    const machine = findMachine(machines, topic)
    if (rule === undefined || machine === null) return (unmapped++, [])
    const offset = (options.timeOffsetMs + machine.offsetMs) * 1_000
    const json = jsonOf(text)
    const timeOf = (roots: Readonly<Record<string, unknown>>): number | null => {
      if (rule.time === undefined || options.time === 'received') return receivedUs
      const us = microseconds(valueAt(roots, rule.time), rule.timeUnit ?? 'ms')
      return us === null ? null : us + offset
    }
    if (rule.unavailable === true) {
      const hasTime = rule.time !== undefined && options.time === 'source'
      if (rule.time !== undefined && json === undefined && rule.equals === undefined) return (unmapped++, [])
      const at = timeOf({ $: json ?? text })
      if (at === null) return (unmapped++, [])
      return known
        .filter(({ names }) => names['machineId'] === machine.id)
        .map(each => {
          const timestamp = hasTime ? at : Math.max(receivedUs, each.newest + 1)
          if (timestamp <= receivedUs + dayUs) {
            each.newest = Math.max(each.newest, timestamp)
            each.number = null
          }
          return Object.assign({ timestamp, value: 'UNAVAILABLE' }, each.names)
        })
    }
    if (json === undefined && rule.equals === undefined) return (unmapped++, [])
    const payload = json === undefined ? text : json
    return elementsOf(rule, payload).flatMap(element => {
      const sample = element === undefined ? null : sampleOf(rule, { $: payload, '@': element }, machine.id, timeOf)
      if (sample === null) return (unmapped++, [])
      const { timestamp, value, nativeCode: _, nativeSeverity: __, qualifier: ___, message: ____, ...names } = sample
      // Ingest rejects it.
      if (Number(timestamp) > receivedUs + dayUs) return [sample]
      const number = numberOf(value)
      const before = known.find(each => same(each.names, names))
      if (before && before.number !== null && number !== null)
        if (Math.abs(number - before.number) < (rule.deadband ?? 0)) return []
      // Rules may give one key different categories: the last one holds.
      if (before) Object.assign(before, { names, number, newest: Math.max(before.newest, Number(timestamp)) })
      else known.push({ names, newest: Number(timestamp), number })
      return [sample]
    })
  })
  return { samples, unmapped }
}

function same(one: NaiveSample, other: NaiveSample): boolean {
  return ['machineId', 'key', 'type', 'subtype'].every(name => one[name] === other[name])
}

function sampleOf(
  rule: MappingRule,
  roots: Readonly<Record<string, unknown>>,
  machineId: string,
  timeOf: (roots: Readonly<Record<string, unknown>>) => number | null,
): NaiveSample | null {
  const value = converted(valueAt(roots, rule.value ?? (rule.each === undefined ? '$' : '@')), rule)
  const timestamp = timeOf(roots)
  if (value === null || timestamp === null) return null
  const { key = '', type = '', subtype, category } = rule
  const sample: Record<string, string | number> = { machineId, key, type, timestamp, value }
  if (subtype !== undefined) sample['subtype'] = subtype
  if (category !== undefined) sample['category'] = category
  for (const name of ['nativeCode', 'nativeSeverity', 'qualifier', 'message'] as const) {
    const path = rule[name]
    if (path === undefined) continue
    const text = valueAt(roots, path)
    if (!isSimple(text) || text === null) return null
    sample[name] = String(text)
  }
  return sample
}

/** Converts a value by the rule; null: it gives no sample. */
export function converted(found: unknown, rule: Partial<MappingRule>): string | number | null {
  if (!isSimple(found)) return null
  let value = found
  const isLost = /^unavailable$/i.test(String(value)) && typeof value === 'string'
  if (rule.invert === true && !isLost) {
    const word = value === null ? 'none' : String(value).toLowerCase()
    const opposite = { true: 'false', false: 'true', 1: '0', 0: '1' }[word]
    if (opposite === undefined) return null
    value = typeof value === 'number' ? Number(opposite) : opposite
  }
  if (rule.map !== undefined) {
    const named = Object.entries(rule.map).find(([text]) => text === String(value) && text !== '*')
    const mapped = named?.[1] ?? (isLost ? 'UNAVAILABLE' : Object.entries(rule.map).find(([text]) => text === '*')?.[1])
    if (mapped === undefined) return null
    value = mapped
  }
  if (value === null) return null
  if (typeof value === 'string' && value.toLowerCase() === 'unavailable') return 'UNAVAILABLE'
  if (rule.scale === undefined && rule.offset === undefined && rule.round === undefined)
    return typeof value === 'boolean' ? `${value}` : value
  const number = typeof value === 'boolean' ? null : numberOf(value)
  if (number === null) return null
  const scaled = number * (rule.scale ?? 1) + (rule.offset ?? 0)
  if (Math.abs(scaled) === Infinity || Number.isNaN(scaled)) return null
  return rule.round === undefined ? scaled : roundExactly(scaled, rule.round)
}

/** Rounds half away from zero, in integers. */
function roundExactly(value: number, decimals: number): number {
  if (Math.abs(value) >= 1e21) return value
  let [whole, halvings] = [Math.abs(value), 0]
  for (; !Number.isInteger(whole); halvings++) whole *= 2
  const divisor = 2n ** BigInt(halvings)
  const rounded = (2n * BigInt(whole) * 10n ** BigInt(decimals) + divisor) / (2n * divisor)
  return Math.sign(value) * Number(`${rounded}e-${decimals}`)
}

function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return null
  const isDecimal = /^[-+]?[0-9.]+([eE][-+]?[0-9]+)?$/.test(value.trim()) && /^[-+]?(\d|\.\d)/.test(value.trim())
  const number = isDecimal ? Number.parseFloat(value) : Number.NaN
  return Number.isFinite(number) && (value.match(/\./g) ?? []).length < 2 ? number : null
}

/** Times are ISO 8601 in UTC with milliseconds or microseconds, or numbers. */
function microseconds(found: unknown, unit: 's' | 'ms' | 'us' | 'ns'): number | null {
  const number = numberOf(found)
  if (number !== null) {
    const us = { s: number * 1e6, ms: number * 1e3, us: number, ns: number * 1e-3 }[unit]
    const whole = Math.round(us)
    return whole >= 0 && whole <= Number.MAX_SAFE_INTEGER ? whole : null
  }
  if (typeof found !== 'string') return null
  const [, millis, micros = '0'] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3})(\d{3})?Z$/.exec(found) ?? []
  return millis === undefined ? null : Date.parse(`${millis}Z`) * 1_000 + Number(micros)
}

function topicRegExp(pattern: string, end: string): RegExp {
  const open = pattern === '#' || pattern.endsWith('/#')
  const own = open ? pattern.slice(0, -1).replace(/\/$/, '') : pattern
  const levels = own.split('/').map(level => {
    if (level === '+') return '[^/]*'
    return /^\{\w+\}$/.test(level) ? '([^/]*)' : level.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  })
  const first = pattern.startsWith('$') ? '' : String.raw`(?!\$)`
  if (pattern === '#') return new RegExp(`^${first}`)
  return new RegExp(`^${first}${levels.join('/')}${open ? '(?:/.*)?$' : end}`)
}

function findMachine(
  machines: ConnectorRecord['machines'],
  topic: string,
): { readonly id: string; readonly offsetMs: number } | null {
  for (const { source, machineId, timeOffsetMs } of machines) {
    const found = topicRegExp(source ?? '#', '(?:/.*)?$').exec(topic)
    if (found === null) continue
    const names = [...(source ?? '').matchAll(/\{(\w+)\}/g)].map(([, name]) => `{${name}}`)
    const id =
      typeof machineId === 'object'
        ? Object.entries(machineId).find(([value]) => value === found[1])?.[1]
        : names.includes(machineId)
          ? found[names.indexOf(machineId) + 1]
          : machineId
    if (id !== undefined && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id))
      return { id: id.toLowerCase(), offsetMs: timeOffsetMs }
  }
  return null
}

function elementsOf({ each }: MappingRule, payload: unknown): readonly unknown[] {
  if (each === undefined) return [payload]
  let found: readonly unknown[] = [payload]
  for (const step of stepsOf(each))
    found = found.flatMap(value =>
      step === '*' ? (Array.isArray(value) ? (value as readonly unknown[]) : [undefined]) : [child(value, step)],
    )
  return found
}

function valueAt(roots: Readonly<Record<string, unknown>>, path: string): unknown {
  return stepsOf(path).reduce<unknown>(child, roots[path.charAt(0)])
}

function stepsOf(path: string): readonly (string | number)[] {
  const json = path
    .slice(1)
    .replace(/\["([^"]*)"\]|\[(\d+)\]|\[\*\]|\.([\w-]+)/g, (_, quoted, index, name) =>
      index === undefined ? `${JSON.stringify(quoted ?? name ?? '*')},` : `${index},`,
    )
  const steps: (string | number)[] = JSON.parse(`[${json.slice(0, -1)}]`)
  return steps
}

function child(parent: unknown, step: string | number): unknown {
  if (Array.isArray(parent) !== (typeof step === 'number')) return undefined
  const members = Object.entries(parent !== null && typeof parent === 'object' ? parent : {})
  return members.find(([name]) => name === String(step))?.[1]
}

function isSimple(value: unknown): value is string | number | boolean | null {
  return value === null || (value !== undefined && typeof value !== 'object')
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
