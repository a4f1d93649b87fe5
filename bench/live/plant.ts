import { Records } from '../../processors/records/records.ts'
import { defaultCompanySettings } from '../../schema/records/company.ts'
import { defaultMachineSettings } from '../../schema/records/machine.ts'
import type { Change } from '../../schema/records/record-kinds.ts'
import { type Sample, omittedFields } from '../../schema/sample.ts'
import { hashKey } from '../../api/auth/key.ts'
import { asCompanyRef, asMachineRef, type MachineRef } from '../../schema/refs.ts'

export const machineCount = 5_000
export const metricsOfMachine = 10
export const benchKey = 'a key of the benchmark, long enough'
const companyId = '00000000-0000-4000-8000-000000000000'

export function machineId(ref: number): string {
  return `00000000-0000-4000-8000-${String(ref).padStart(12, '0')}`
}

/** A company with 5,000 machines and one key, as in the log of records. */
export function plantRecords(): Records {
  const records = new Records()
  const createdAt = '2026-01-01T00:00:00.000Z'
  const settings = defaultCompanySettings
  const key = { id: 'key', companyId, name: 'Bench', scopes: ['reporting'], hash: hashKey(benchKey), createdAt }
  const machines = Array.from({ length: machineCount }, (_, i): Change => {
    const id = machineId(i + 1)
    const after = {
      ...defaultMachineSettings,
      id,
      ref: asMachineRef(i + 1),
      companyId,
      name: `Machine ${i + 1}`,
      createdAt,
    }
    return { kind: 'machine', id, before: null, after }
  })
  const changes: readonly Change[] = [
    { kind: 'company', id: companyId, before: null, after: { id: companyId, ref: asCompanyRef(1), settings } },
    { kind: 'key', id: key.id, before: null, after: key },
    ...machines,
  ]
  const command = { id: 'bench', deadlineMs: 0, nowMs: 0, companyId, actor: 'bench', name: 'bench' }
  records.apply({ command, commandOffset: 0, outcome: { ok: true, result: null }, changes }, 0)
  return records
}

export function sampleOf(machineRef: MachineRef, metric: number, atUs: number, value: string): Sample {
  return {
    machineRef,
    atUs,
    key: `metric_${metric}`,
    type: 'SPINDLE_LOAD',
    subtype: 'ACTUAL',
    category: 'SAMPLE',
    value,
    ...omittedFields,
  }
}
