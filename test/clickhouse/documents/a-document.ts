import type { Dimensions, HourDocument, Segment } from '../../../schema/document.ts'
import { hourMs } from '../../../shared/time/units.ts'
import type { VersionedDocument } from '../../../schema/document-store.ts'
import { asCompanyRef, asMachineRef } from '../../../schema/refs.ts'

const dimensions: Dimensions = {
  shift: 3,
  run: 41,
  operators: [7, 9],
  mode: 'production',
  scheduled: true,
  nonOptional: true,
}

/** A document with an element in every array, with the given fields. */
export function aDocument(given: Partial<VersionedDocument> = {}): VersionedDocument {
  const slotMs = given.slotMs ?? Date.UTC(2026, 0, 5, 7)
  return {
    ...aQuietHour(slotMs),
    companyRef: asCompanyRef(1),
    machineRef: asMachineRef(11),
    version: 1n,
    ...given,
    slotMs,
  }
}

/** `segments` is the number of segments in the hour. */
function aQuietHour(slotMs: number, segments = 4): Omit<HourDocument, 'companyRef' | 'machineRef'> {
  const length = hourMs / segments
  const cycles = Array.from({ length: segments }, (_, i) => aSegment(i, length))
  return {
    slotMs,
    facts: [
      { ...dimensions, ...aFact, cell: 0, first: 0, last: hourMs, durationMs: hourMs / 2, inCycleMs: hourMs / 4 },
      { ...dimensions, ...aFact, cell: 1_800_000, run: 0, mode: 'none', operators: [], durationMs: hourMs / 2 },
    ],
    downtimes: cycles.flatMap(({ cell, start, end, reason }) =>
      reason === null ? [] : [{ ...dimensions, cell, start, end, reason, recordStartMs: slotMs + start }],
    ),
    alarms: [
      { key: 'system', nativeCode: 'E\'1"', message: 'tool\n\\worn', level: 'FAULT', startMs: slotMs - 5, endMs: null },
      { key: 'system', nativeCode: '', message: '', level: 'WARNING', startMs: slotMs + 9, endMs: slotMs + 10 },
    ],
    setups: [{ ...dimensions, mode: 'setup', at: 12_345 }],
    segments: cycles,
    parts: [{ ...dimensions, cell: 0, at: 99_999, parts: -2 }],
    adjustments: [{ ...dimensions, cell: 0, at: 5, count: -5, scrap: 5, nonconform: 0.5, type: 4 }],
    hashIn: '18446744073709551614',
    hashOut: '18446744073709551615',
    stateOut: JSON.stringify({ executions: [['exec', "ACT'IVE"]], parts: 17 }),
  }
}

const aFact = {
  first: 10,
  last: 20,
  durationMs: 0,
  inCycleMs: 0,
  spindleMs: 3,
  cutMs: 2,
  parts: 1.5,
  adjusted: -5,
  scrap: 5,
  nonconform: 0,
}

function aSegment(i: number, length: number): Segment {
  const inCycle = i % 2 === 0
  return {
    ...dimensions,
    cell: 0,
    start: i * length,
    end: (i + 1) * length,
    status: inCycle ? 'ACTIVE' : 'INACTIVE',
    inCycle,
    spindle: inCycle,
    cut: i % 4 === 0,
    reason: inCycle ? null : i % 3 === 0 ? -1 : 6,
  }
}
