import { isDeepStrictEqual } from 'node:util'
import type { CompanyKind } from '../../processors/records/record-lookups.ts'
import { topics, type WireSample } from '../../schema/topics.ts'
import type { TestPlant } from '../../test/api/reports/plant-support.ts'
import { appendChanges, postSamples } from '../../test/end-to-end/plant-service.ts'
import { startService } from '../../test/support/service.ts'
import { dayMs, machineOf, samplesOf, startMs } from './plant.ts'

const kinds = ['schedule', 'machineGroup', 'operator', 'jobOperation', 'machine', 'jobRun', 'operatorRun'] as const

/**
 * Tests some machines of the plant end to end: their samples are posted to a service with their records. Returns the
 * report of the first day; throws if a number differs from the expected report.
 */
export async function sendWholeWay(
  plant: TestPlant,
  refs: readonly number[],
  body: object,
  expected: unknown,
): Promise<void> {
  const service = await startService({ nowMs: startMs + dayMs + 3_600_000 })
  try {
    const machines = refs.map(ref => machineOf(plant, ref))
    const ids = new Set(machines.map(({ id }) => id))
    const isKept = (record: object) => !('machineId' in record) || ids.has(String(record.machineId))
    const changes = kinds.flatMap((kind: CompanyKind) =>
      [...plant.records.list(kind, plant.company.id)]
        .filter(record => (kind === 'machine' ? ids.has(String(record.id)) : isKept(record)))
        .map(record => ({
          kind,
          id: String(record.id),
          before: null,
          after: Object.assign({}, record, { companyId: service.companyId }),
        })),
    )
    await appendChanges(service, changes)
    const samples = machines.flatMap(machine =>
      samplesOf(machine).map(({ atUs, key, type, value, category }): WireSample => ({
        machineId: machine.id,
        timestamp: new Date(atUs / 1000).toISOString(),
        key,
        type,
        value,
        category,
      })),
    )
    await postSamples(service, samples, 1000)
    await service.settled()
    const { body: answer } = await service.call('POST', '/reports/production', body)
    if (!isDeepStrictEqual(answer, expected))
      throw new Error(
        `The service's report differs from the expected one:\n${JSON.stringify(answer)}\n${JSON.stringify(expected)}`,
      )
    console.log(
      `${refs.length} machines sent the whole way (${samples.length} samples, ${topics.samples}): the same report`,
    )
  } finally {
    await service.stop()
  }
}
