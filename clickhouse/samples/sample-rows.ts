import type { Category, Sample } from '../../schema/sample.ts'
import { sql } from '../sql/sql.ts'

/** Columns of `samples` and `deciding_samples`, in the order of `sampleLine` and `sampleColumnsSql`. */
export const sampleColumns = [
  'company',
  'machine',
  'at_us',
  'key',
  'type',
  'subtype',
  'category',
  'value',
  'native_code',
  'native_severity',
  'qualifier',
  'message',
  'instance_id',
  'sequence',
] as const

/** The columns that make a sample, without the company. */
export const sampleColumnsSql = sql`
  machine, at_us, key, type, subtype, category, value, native_code, native_severity, qualifier, message, instance_id, sequence`

/** One line of JSONCompactEachRow. */
export function sampleLine(company: number, s: Sample): string {
  return (
    `[${company},${s.machine},${s.atUs},${name(s.key)},${name(s.type)},${name(s.subtype)},"${s.category}",` +
    `${text(s.value)},${name(s.nativeCode)},${name(s.nativeSeverity)},${name(s.qualifier)},${text(s.message)},` +
    `${s.instanceId},${s.sequence}]`
  )
}

export type SampleColumns = [
  number[],
  number[],
  string[],
  string[],
  string[],
  Category[],
  string[],
  string[],
  string[],
  string[],
  string[],
  (number | null)[],
  (number | null)[],
]

/** Columns as selected by `sampleColumnsSql`, as samples. */
export function toSamples(columns: SampleColumns): Sample[] {
  const [machine, atUs, key, type, subtype, category, value, code, severity, qualifier, message, instance, sequence] =
    columns
  return machine.map((ref, i) => ({
    machine: ref,
    atUs: atUs[i] ?? 0,
    key: key[i] ?? '',
    type: type[i] ?? '',
    subtype: subtype[i] ?? '',
    category: category[i] ?? 'EVENT',
    value: value[i] ?? '',
    nativeCode: code[i] ?? '',
    nativeSeverity: severity[i] ?? '',
    qualifier: qualifier[i] ?? '',
    message: message[i] ?? '',
    instanceId: instance[i] ?? null,
    sequence: sequence[i] ?? null,
  }))
}

/** Names recur by the million: their JSON is kept, up to a bound, as senders choose them. */
const names = new Map<string, string>([['', '""']])

function name(value: string): string {
  const known = names.get(value)
  if (known !== undefined) return known
  if (names.size >= 100_000) names.clear()
  const json = escaped(value)
  names.set(value, json)
  return json
}

/** Most values are plain: only what JSON would escape is escaped. */
function text(value: string): string {
  // oxlint-disable-next-line no-control-regex -- exactly what JSON must escape
  return /["\\\u0000-\u001f\ud800-\udfff]/.test(value) ? escaped(value) : `"${value}"`
}

/** Half a surrogate pair is no Unicode text: the engine refuses its escape. */
function escaped(value: string): string {
  return JSON.stringify(value.replace(/\p{Surrogate}/gu, '\ufffd'))
}
