import { recordValues, type RecordValue, type RecordValueName } from '../../../schema/record-values.ts'
import type { Column, ColumnKind } from '../../files/table.ts'
import { isoText } from '../../../shared/time/iso-text.ts'
import type { EventGroup } from './groups.ts'

export type EventReportName = keyof typeof recordValues

/** What a group says; instants as ISO texts, null over nothing. */
export type ReadValue = (group: EventGroup) => number | string | null

const readers: Readonly<Record<RecordValueName, ReadValue>> = {
  downtimeMs: ({ amount }) => amount,
  rejectCount: ({ amount }) => amount,
  durationMs: ({ amount }) => amount,
  recordCount: ({ records }) => records,
  machineCount: ({ machines }) => machines?.size ?? 0,
  minStartTime: ({ firstMs }) => instantOf(firstMs),
  maxEndTime: ({ lastMs }) => instantOf(lastMs),
}

function instantOf(ms: number | null): string | null {
  return ms === null ? null : isoText(ms)
}

/** A value of a group, by its index among the names. */
export function valueAt(
  names: readonly RecordValueName[],
): (group: EventGroup, index: number) => number | string | null {
  const wanted = names.map(name => readers[name])
  return (group, index) => wanted[index]?.(group) ?? null
}

/** Their columns in a report's file. */
export function valueColumns(report: EventReportName, names: readonly RecordValueName[]): readonly Column[] {
  const known: Readonly<Partial<Record<RecordValueName, RecordValue>>> = recordValues[report]
  return names.flatMap(name => {
    const value = known[name]
    return value ? [{ name, title: value.title, kind: kinds[value.unit] }] : []
  })
}

const kinds: Readonly<Record<RecordValue['unit'], ColumnKind>> = {
  ms: 'ms',
  parts: 'integer',
  records: 'integer',
  machines: 'integer',
  instant: 'instant',
}
