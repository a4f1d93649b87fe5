import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { narrow, nullOr, storedText, wide } from '../../../clickhouse/client/kinds.ts'
import { rows } from '../../../clickhouse/client/rows.ts'
import { sql } from '../../../clickhouse/sql/sql.ts'
import { projectRecords } from '../../support/project-records.ts'
import { from } from '../../../clickhouse/tables/from.ts'
import {
  annotationsByMachine,
  machineRuns,
  operatorRunsByMachine,
  partAdjustmentsByMachine,
} from '../../../clickhouse/tables/record-kinds.ts'
import type { AnnotationRecord } from '../../../schema/records/annotation.ts'
import type { Change } from '../../../schema/records/record-kinds.ts'
import type { RecordEntry } from '../../../schema/commands/command-log.ts'
import { useFreshDatabase } from '../../support/database.ts'

const company = 'c1'
const [machine, otherMachine] = [randomUUID(), randomUUID()]
const at = (minute: number) => new Date(Date.UTC(2026, 2, 2, 8, minute)).toISOString()

function annotation(id: string, changes: Partial<AnnotationRecord> = {}): AnnotationRecord {
  const whole = { startAt: at(0), endAt: null, note: 'Chips', reasonId: 7 }
  return { id, companyId: company, machineId: machine, ...whole, ...changes }
}

function entry(commandOffset: number, changes: readonly Change[]): RecordEntry {
  const command = { id: randomUUID(), deadlineMs: 0, nowMs: 0, companyId: company, actor: 'test', name: 'test' }
  return { command, commandOffset, outcome: { ok: true, result: null }, changes }
}

describe('tables of records by machine and time', () => {
  const store = useFreshDatabase()
  const project = (...entries: RecordEntry[]) => projectRecords(store(), entries)
  const stored = () =>
    rows(
      store(),
      sql`SELECT machine_id, start_ms, id, end_ms, reason, note
        ${from(annotationsByMachine, company, { final: true, where: [sql`deleted = 0`] })} ORDER BY start_ms, id`,
      {
        machine_id: storedText,
        start_ms: wide,
        id: storedText,
        end_ms: nullOr(wide),
        reason: narrow,
        note: storedText,
      },
    )

  it('An annotation is stored once after moves in time and between machines, and removed when it is deleted', async () => {
    const id = randomUUID()
    const first = annotation(id)
    const later = annotation(id, { startAt: at(30), endAt: at(40) })
    const elsewhere = annotation(id, { machineId: otherMachine, startAt: at(30), endAt: at(40) })
    await project(entry(1, [{ kind: 'annotation', id, before: null, after: first }]))
    const row = { machine_id: machine, start_ms: Date.parse(at(0)), id, end_ms: null, reason: 7, note: 'Chips' }
    expect(await stored()).to.deep.equal([row])
    await project(entry(2, [{ kind: 'annotation', id, before: first, after: later }]))
    const moved = { ...row, start_ms: Date.parse(at(30)), end_ms: Date.parse(at(40)) }
    expect(await stored()).to.deep.equal([moved])
    await project(entry(3, [{ kind: 'annotation', id, before: later, after: elsewhere }]))
    expect(await stored()).to.deep.equal([{ ...moved, machine_id: otherMachine }])
    await project(entry(4, [{ kind: 'annotation', id, before: elsewhere, after: first }]))
    expect(await stored(), 'row after the annotation was moved back').to.deep.equal([row])
    await project(entry(5, [{ kind: 'annotation', id, before: first, after: null }]))
    expect(await stored()).to.deep.equal([])
  })

  it('Job runs, operator runs and part adjustments are stored with their columns', async () => {
    const run = {
      id: 'ERP-1',
      ref: 5,
      companyId: company,
      machineId: machine,
      jobOperationId: 'op',
      startInSetup: true,
      startAt: at(0),
      endAt: null,
      productionAt: at(10),
      startSequence: 3,
    }
    const stay = {
      id: randomUUID(),
      companyId: company,
      machineId: machine,
      operatorId: 'o',
      startAt: at(0),
      endAt: at(9),
    }
    const adjustment = {
      id: randomUUID(),
      companyId: company,
      machineId: machine,
      adjustmentTime: at(5),
      categoryId: null,
      message: 'Burr',
      scrapCount: 2,
      count: -2,
      rejectBehavior: 'scrap' as const,
    }
    await project(
      entry(30, [
        { kind: 'jobRun', id: run.id, before: null, after: run },
        { kind: 'operatorRun', id: stay.id, before: null, after: stay },
        { kind: 'partAdjustment', id: adjustment.id, before: null, after: adjustment },
      ]),
    )
    const runs = await store().query(
      sql`SELECT id, run, start_sequence, start_ms, end_ms, production_ms, in_setup, operation_id ${from(machineRuns, company)}`,
    )
    expect(runs).to.deep.equal([
      {
        id: 'ERP-1',
        run: 5,
        start_sequence: 3,
        start_ms: String(Date.parse(at(0))),
        end_ms: null,
        production_ms: String(Date.parse(at(10))),
        in_setup: 1,
        operation_id: 'op',
      },
    ])
    expect(await store().query(sql`SELECT operator_id, end_ms ${from(operatorRunsByMachine, company)}`)).to.deep.equal([
      { operator_id: 'o', end_ms: String(Date.parse(at(9))) },
    ])
    const columns = sql`category, parts, scrap, reject_behavior, message`
    expect(await store().query(sql`SELECT ${columns} ${from(partAdjustmentsByMachine, company)}`)).to.deep.equal([
      { category: null, parts: -2, scrap: 2, reject_behavior: 'scrap', message: 'Burr' },
    ])
  })

  it('Instants up to the year 9999 are stored exactly', async () => {
    const id = randomUUID()
    const record = annotation(id, { startAt: '9999-12-31T23:59:59.999Z' })
    await project(entry(40, [{ kind: 'annotation', id, before: null, after: record }]))
    expect((await stored()).at(-1)?.start_ms).to.equal(Date.parse(record.startAt))
  })
})
