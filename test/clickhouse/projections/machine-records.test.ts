import { expect } from 'chai'
import * as fc from 'fast-check'
import type { Store } from '../../../clickhouse/client/store.ts'
import { readMachineRecords } from '../../../clickhouse/projections/machine-records.ts'
import { createCalendar } from '../../../processors/calendar/calendar.ts'
import { effectiveRuns, endMsOf } from '../../../processors/records/effective-runs.ts'
import { machineInputs, shareCalendars, timedInputs } from '../../../processors/records/machine-inputs.ts'
import { maxSignInMs, signInSpan } from '../../../processors/records/spans.ts'
import type { TimedInputs } from '../../../processors/timeline/types.ts'
import type { MachineRecord } from '../../../schema/records/machine.ts'
import type { Change } from '../../../schema/records/record-kinds.ts'
import type { OperatorRunRecord } from '../../../schema/records/operator-run.ts'
import type { MachineSpan, StartsFilter } from '../../../schema/records/timed-records.ts'
import { recordHistory } from '../../../service/record-history.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { Plant, startMs } from '../../processors/registrar/plant.ts'
import { useFreshDatabase } from '../../support/database.ts'
import { projectRecords } from '../../support/project-records.ts'
import { forAll } from '../../support/for-all.ts'
import { must } from '../../processors/timeline/support.ts'

const blockMs = 720 * hourMs
const nowBlock = Math.floor(startMs / blockMs)
const machineIds = [1, 2].map(number => `00000000-0000-4000-8000-00000000000${number}`)
const calendarOf = shareCalendars(createCalendar)
const iso = (ms: number): string => new Date(ms).toISOString()

/** Instants of a few years, many of them at, or 1 ms beside, the bounds of blocks, so that records often meet. */
const anyInstant = fc
  .tuple(fc.constantFrom(-90, -12, -2, -1, -1, 0, 0, 1), fc.constantFrom(0, 0, 0, 1, 719), fc.constantFrom(-1, 0, 0, 1))
  .map(([block, hours, ms]) => iso((nowBlock + block) * blockMs + hours * hourMs + ms))

type Act = readonly [name: string, payload: object]

function anyAct(): fc.Arbitrary<Act> {
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
function perform(plant: Plant, [name, payload]: Act): void {
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

function anySpans(): fc.Arbitrary<readonly MachineSpan[]> {
  const anySpan = fc
    .record({
      machineId: fc.constantFrom(...machineIds),
      first: fc.integer({ min: -3, max: 2 }),
      length: fc.integer({ min: 1, max: 2 }),
    })
    .map(({ machineId, first, length }) => {
      const fromMs = (nowBlock + first) * blockMs
      return { machineId, fromMs, toMs: fromMs + length * blockMs }
    })
  return fc.array(anySpan, { minLength: 4, maxLength: 10 })
}

describe('records of machines in spans', function () {
  const store = useFreshDatabase()

  it('Random records determine the same inputs of a span in memory and in the store, and by definition', async () => {
    await forAll(
      fc.asyncProperty(fc.array(anyAct(), { minLength: 10, maxLength: 40 }), anySpans(), async (acts, spans) => {
        const plant = newPlant()
        for (const act of acts) perform(plant, act)
        const fromStore = await readInputs(store(), plant, spans)
        for (const [index, span] of spans.entries()) {
          const fromMemory = machineInputs(plant.records, machineOf(plant, span), calendarOf, span)
          expectByDefinition(plant, span, fromMemory)
          const { runs, operators, annotations, adjustments } = fromMemory
          expect(fromStore[index], 'inputs from the store').to.deep.equal({ runs, operators, annotations, adjustments })
        }
      }),
      { numRuns: 60 },
    )
  })

  it('The next run, and the first and last start of records that match, are those of random records', async () => {
    await forAll(
      fc.asyncProperty(fc.array(anyAct(), { minLength: 10, maxLength: 40 }), anyInstant, async (acts, instant) => {
        const plant = newPlant()
        for (const act of acts) perform(plant, act)
        await projectRecords(store(), plant.entries)
        const history = recordHistory(store())
        const { records, companyId } = plant
        const [afterMs, longerThanMs] = [Date.parse(instant), 16 * hourMs]
        for (const machineId of machineIds) {
          const next = effectiveRuns(records.runsOf(machineId)).find(({ startMs }) => startMs > afterMs)
          expect(await history.readNextRunStart(companyId, machineId, afterMs)).to.equal(next?.startMs ?? null)
        }
        const isLong = (run: OperatorRunRecord) => endMsOf(run.endAt) - Date.parse(run.startAt) > longerThanMs
        const starts = {
          setupRuns: records.list('jobRun', companyId).filter(({ startInSetup }) => startInSetup),
          longSignIns: records.list('operatorRun', companyId).filter(isLong),
          adjustments: records
            .list('partAdjustment', companyId)
            .map(({ machineId, adjustmentTime: startAt }) => ({ machineId, startAt })),
        }
        const filters: readonly StartsFilter[] = [
          { kind: 'setupRuns' },
          { kind: 'longSignIns', longerThanMs },
          { kind: 'adjustments', categoryId: 1 },
        ]
        for (const filter of filters) {
          const read = await history.readStarts(companyId, filter)
          for (const { machineId, startAt } of starts[filter.kind]) {
            const found = read.find(each => each.machineId === machineId)
            expect(found?.firstMs, `first of ${filter.kind}`).to.be.at.most(Date.parse(startAt))
            expect(found?.lastMs, `last of ${filter.kind}`).to.be.at.least(Date.parse(startAt))
          }
        }
      }),
      { numRuns: 15 },
    )
  })
})

function newPlant(): Plant {
  const plant = new Plant()
  for (const [index, id] of machineIds.entries())
    plant.result('machine.put', { id, name: `M${index + 1}`, erpMachineId: `M${index + 1}` })
  for (const id of ['ann', 'bob']) plant.result('operator.put', { id, name: id })
  plant.reason()
  plant.reason('Cleaning')
  plant.result('partAdjustmentType.put', { name: 'T', reject_behavior: 'operator' })
  return plant
}

function machineOf({ records }: Plant, { machineId }: MachineSpan): MachineRecord {
  return must(records.machine(machineId) ?? undefined)
}

async function readInputs(store: Store, plant: Plant, spans: readonly MachineSpan[]): Promise<readonly TimedInputs[]> {
  const { records, companyId } = plant
  await projectRecords(store, plant.entries)
  const settings = must(records.company(companyId)?.settings)
  const read = await readMachineRecords(store, companyId, spans, maxSignInMs(settings), {})
  return spans.map((span, index) => timedInputs(records, machineOf(plant, span), must(read[index]), span))
}

interface Interval {
  readonly startMs: number
  readonly endMs: number
}

/** Compares inputs with the records at each instant of the span at which a record begins or ends, and just before. */
function expectByDefinition({ records, companyId }: Plant, span: MachineSpan, inputs: TimedInputs): void {
  const { machineId, fromMs, toMs } = span
  const isHere = (record: { readonly machineId: string }): boolean => record.machineId === machineId
  const settings = must(records.company(companyId)?.settings)
  const runs = records.list('jobRun', companyId).filter(run => isHere(run) && run.endAt !== run.startAt)
  const annotations = records.list('annotation', companyId).filter(isHere)
  const signIns = records.list('operatorRun', companyId).filter(isHere)
  const adjustments = records.list('partAdjustment', companyId).filter(isHere)
  const msOf = (text: string | null): number => (text === null ? Infinity : Date.parse(text))
  /** Ref of the run that was started last, by start and sequence, until its end. */
  const runAt = (atMs: number): readonly number[] => {
    const started = runs.filter(({ startAt }) => msOf(startAt) <= atMs)
    const last = started.sort((a, b) => msOf(a.startAt) - msOf(b.startAt) || a.startSequence - b.startSequence).at(-1)
    return last && atMs < msOf(last.endAt) ? [last.ref] : []
  }
  const texts = [...runs, ...annotations, ...signIns].flatMap(({ startAt, endAt }) => [startAt, endAt])
  const bounds = [...texts.map(msOf), ...signIns.map(run => signInSpan(run, settings).endMs)]
  const instants = [fromMs, toMs - 1, ...bounds.flatMap(atMs => [atMs - 1, atMs])]
  for (const atMs of instants.filter(each => each >= fromMs && each < toMs)) {
    const isIn = ({ startMs, endMs }: Interval): boolean => startMs <= atMs && atMs < endMs
    const at = iso(atMs)
    expect(
      inputs.runs.filter(isIn).map(({ run }) => run),
      `run at ${at}`,
    ).to.deep.equal(runAt(atMs))
    expect(
      inputs.annotations.filter(isIn).map(({ reason }) => reason),
      `annotation at ${at}`,
    ).to.deep.equal(
      annotations
        .filter(({ startAt, endAt }) => msOf(startAt) <= atMs && atMs < msOf(endAt))
        .map(({ reasonId }) => reasonId),
    )
    expect(
      inputs.operators.filter(isIn).map(({ operator }) => operator),
      `operators at ${at}`,
    ).to.have.members(
      signIns
        .filter(run => isIn(signInSpan(run, settings)))
        .map(({ operatorId }) => records.get('operator', companyId, operatorId)?.ref),
    )
  }
  // A run that starts at the end of the span ends the run before it.
  const last = inputs.runs.find(({ startMs, endMs }) => startMs < toMs && endMs >= toMs)
  if (last && runs.some(({ startAt }) => msOf(startAt) === toMs))
    expect(last.endMs, 'end of the last run').to.equal(toMs)
  const times = adjustments.map(({ adjustmentTime }) => msOf(adjustmentTime)).sort((a, b) => a - b)
  expect(inputs.adjustments.map(({ atMs }) => atMs)).to.deep.equal(times.filter(each => each >= fromMs && each < toMs))
}
