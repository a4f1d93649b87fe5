import { sql } from '../../../../clickhouse/sql/sql.ts'
import { from } from '../../../../clickhouse/tables/from.ts'
import { operatorRunsByMachine as table } from '../../../../clickhouse/tables/record-kinds.ts'
import { type Entity, instantColumn, instantColumnOrNull, one, textColumn, uuidColumn } from '../entity.ts'
import { readings } from '../readings.ts'
import { isThere } from '../sources.ts'

/** Periods in which operators were signed in at machines. */
export const operatorRuns: Entity = {
  name: 'OperatorRunTP',
  description: 'A stay of an operator at a machine',
  key: ['operatorRunId'],
  order: ['startAt'],
  columns: {
    operatorRunId: uuidColumn(sql`id`),
    startAt: instantColumn(sql`start_ms`),
    endAt: instantColumnOrNull(sql`end_ms`, 'null: not signed out'),
    machineId: uuidColumn(sql`machine_id`),
    operatorId: textColumn(sql`operator_id`),
  },
  relations: {
    machine: one('machines', ['machineId', 'machineId']),
    operator: one('operators', ['operatorId', 'operatorId']),
  },
  reads: readings('operatorRun'),
  source: ({ companyId }, where) => from(table, companyId, { final: true, where: [isThere, ...where] }),
}
