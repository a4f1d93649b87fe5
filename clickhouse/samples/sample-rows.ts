import type { Category, Sample } from '../../schema/sample.ts'
import { type Kind, nullOr, storedText as textKind, wide, machineRef } from '../client/kinds.ts'
import { type ColumnsOf, itemAt } from '../client/rows.ts'
import { join } from '../sql/sql.ts'
import { samples } from '../tables/samples.ts'
import { identifier } from '../tables/table.ts'
import type { CompanyRef } from '../../schema/refs.ts'

/** A sample with its company, as the store keys it. */
export interface SampleRow {
  readonly companyRef: CompanyRef
  readonly sample: Sample
}

/** Columns of `samples` and `deciding_samples`, in the order of `sampleLine`. */
export const sampleColumns: readonly string[] = Object.keys(samples.columns)

/** The columns of a sample, without the company. */
export const sampleColumnsSql = join(sampleColumns.filter(name => name !== 'company').map(identifier))

/** One line of JSONCompactEachRow. */
export function sampleLine(companyRef: CompanyRef, s: Sample): string {
  return (
    `[${companyRef},${s.machineRef},${s.atUs},${name(s.key)},${name(s.type)},${name(s.subtype)},"${s.category}",` +
    `${text(s.value)},${name(s.nativeCode)},${name(s.nativeSeverity)},${name(s.qualifier)},${text(s.message)},` +
    `${s.instanceId},${s.sequence}]`
  )
}

const categories: readonly Category[] = ['SAMPLE', 'EVENT', 'CONDITION']

export const category: Kind<Category> = {
  accepts: textKind.accepts,
  read: value => {
    const known = categories.find(each => each === value)
    if (known === undefined) throw new TypeError(`Invalid category: ${String(value)}`)
    return known
  },
}

/** How the columns of `sampleColumnsSql` are read. */
export const sampleShape = {
  machine: machineRef,
  at_us: wide,
  key: textKind,
  type: textKind,
  subtype: textKind,
  category,
  value: textKind,
  native_code: textKind,
  native_severity: textKind,
  qualifier: textKind,
  message: textKind,
  instance_id: nullOr(wide),
  sequence: nullOr(wide),
} as const

/** Columns as samples. */
export function toSamples(columns: ColumnsOf<typeof sampleShape>): Sample[] {
  return columns.machine.map((machineRef, i) => ({
    machineRef,
    atUs: itemAt(columns.at_us, i),
    key: itemAt(columns.key, i),
    type: itemAt(columns.type, i),
    subtype: itemAt(columns.subtype, i),
    category: itemAt(columns.category, i),
    value: itemAt(columns.value, i),
    nativeCode: itemAt(columns.native_code, i),
    nativeSeverity: itemAt(columns.native_severity, i),
    qualifier: itemAt(columns.qualifier, i),
    message: itemAt(columns.message, i),
    instanceId: itemAt(columns.instance_id, i),
    sequence: itemAt(columns.sequence, i),
  }))
}

/** JSON of names, cached because names repeat; bounded, because senders choose them. */
const names = new Map<string, string>([['', '""']])

function name(value: string): string {
  const known = names.get(value)
  if (known !== undefined) return known
  if (names.size >= 100_000) names.clear()
  const json = escaped(value)
  names.set(value, json)
  return json
}

/** Escapes only values that JSON would escape: most need none. */
function text(value: string): string {
  // oxlint-disable-next-line no-control-regex -- exactly what JSON must escape
  return /["\\\u0000-\u001f\ud800-\udfff]/.test(value) ? escaped(value) : `"${value}"`
}

/** Half of a surrogate pair is invalid Unicode: the engine rejects its escape. */
function escaped(value: string): string {
  return JSON.stringify(value.replace(/\p{Surrogate}/gu, '\ufffd'))
}
