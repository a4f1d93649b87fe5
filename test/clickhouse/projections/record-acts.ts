import * as fc from 'fast-check'
import type { Change } from '../../../schema/records/record-kinds.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { Plant, startMs } from '../../processors/registrar/plant.ts'

export const blockMs = 720 * hourMs
export const nowBlock = Math.floor(startMs / blockMs)
/** Ids of the machines of the plant, M1 and M2. */
export const machineIds = [1, 2].map(number => `00000000-0000-4000-8000-00000000000${number}`)
const iso = (ms: number): string => new Date(ms).toISOString()

/** Instants of a few years, many of them at, or 1 ms beside, the bounds of blocks, so that records often meet. */
export const anyInstant = fc
  .tuple(fc.constantFrom(-90, -12, -2, -1, -1, 0, 0, 1), fc.constantFrom(0, 0, 0, 1, 719), fc.constantFrom(-1, 0, 0, 1))
  .map(([block, hours, ms]) => iso((nowBlock + block) * blockMs + hours * hourMs + ms))

export type Act = readonly [name: string, payload: object]

/** Random acts on the records with a time of a plant. `more`: payloads of further commands. */
export function anyAct(more: Readonly<Record<string, fc.Arbitrary<object>>> = {}): fc.Arbitrary<Act> {
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e')
  const end = fc.option(anyInstant)
  const machineId = fc.constantFrom(...machineIds)
  const uuid = fc.constantFrom(1, 2, 3, 4).map(number => `00000000-0000-4000-9000-00000000000${number}`)
  const acts: Readonly<Record<string, fc.Arbitrary<object>>> = {
    'jobRun.start': fc.record({
      erpJobOperationRunId: id,
      erpMachineId: fc.constantFrom('M1', 'M2'),
      jobName: fc.constant('J'),
      startInSetup: fc.boolean(),
      startAt: anyInstant,
    }),
    'jobRun.end': fc.record({ erpJobOperationRunId: id, endAt: anyInstant }),
    'jobRun.cancel': fc.record({ id }),
    'jobRun.remove': fc.record({ id }),
    'jobRun.production': fc.record({ erpJobOperationRunId: id, productionAt: anyInstant }),
    'annotation.put': fc.record({
      id: uuid,
      machineId,
      reasonId: fc.constantFrom(1, 2),
      startAt: anyInstant,
      endAt: end,
    }),
    'annotation.delete': fc.record({ id: uuid }),
    'operatorRun.start': fc.record({ machineId, operatorId: fc.constantFrom('ann', 'bob'), startAt: anyInstant }),
    'operatorRun.end': fc.record({ index: fc.nat(5), endAt: anyInstant }),
    'operatorRun.remove': fc.record({ index: fc.nat(5) }),
    'partAdjustment.create': fc.record({
      machine_id: machineId,
      scrapcount: fc.integer({ min: 1, max: 9 }),
      adjustmenttime: anyInstant,
      reject_behavior: fc.constantFrom('scrap', 'nonconform'),
      category_id: fc.constant(1),
    }),
    'partAdjustment.move': fc.record({ index: fc.nat(5), machine_id: machineId, adjustmenttime: anyInstant }),
    'settings.put': fc.record({ operatorMaxHours: fc.constantFrom(0.5, 16, 1000) }),
    ...more,
  }
  const often = new Set(['jobRun.start', 'jobRun.cancel'])
  return fc.oneof(
    ...Object.entries(acts).map(([name, payload]) => ({
      arbitrary: payload.map((filled): Act => [name, filled]),
      weight: often.has(name) ? 4 : 1,
    })),
  )
}

/** Applies an act; acts without a command change the records directly, and commands may be rejected. */
export function perform(plant: Plant, [name, payload]: Act): void {
  const { records, companyId } = plant
  const fields: { readonly id?: string; readonly index?: number } = payload
  if (name.startsWith('jobRun.') && fields.id !== undefined) {
    const run = records.get('jobRun', companyId, fields.id)
    if (!run) return
    const after = name === 'jobRun.cancel' ? { ...run, endAt: run.startAt } : null
    return apply(plant, { kind: 'jobRun', id: run.id, before: run, after })
  }
  if (fields.index === undefined) return void plant.do(name, payload)
  if (name === 'partAdjustment.move') {
    const adjustment = records.list('partAdjustment', companyId)[fields.index]
    if (adjustment) plant.do('partAdjustment.update', { ...payload, id: adjustment.id, count: 1, scrapcount: 2 })
    return
  }
  const run = records.list('operatorRun', companyId)[fields.index]
  if (!run) return
  if (name === 'operatorRun.end') plant.do(name, { ...payload, id: run.id })
  else apply(plant, { kind: 'operatorRun', id: run.id, before: run, after: null })
}

function apply(plant: Plant, change: Change): void {
  const { id, deadlineMs, nowMs, companyId, actor, name } = plant.command('test', {})
  const command = { id, deadlineMs, nowMs, companyId, actor, name }
  const outcome = { ok: true, result: null } as const
  const entry = { command, commandOffset: plant.entries.length, outcome, changes: [change] }
  plant.registrar.apply(entry, nowMs)
  plant.entries.push(entry)
}

/** Creates a plant with the records to which the acts refer. */
export function newPlant(): Plant {
  const plant = new Plant()
  for (const [index, id] of machineIds.entries())
    plant.result('machine.put', { id, name: `M${index + 1}`, erpMachineId: `M${index + 1}` })
  for (const id of ['ann', 'bob']) plant.result('operator.put', { id, name: id })
  plant.reason()
  plant.reason('Cleaning')
  plant.result('partAdjustmentType.put', { name: 'T', reject_behavior: 'operator' })
  return plant
}
