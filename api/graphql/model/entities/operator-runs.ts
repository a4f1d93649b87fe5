import { sql } from '../../../../clickhouse/sql/sql.ts'
import { from } from '../../../../clickhouse/tables/from.ts'
import { operatorRunsByMachine as table } from '../../../../clickhouse/tables/record-kinds.ts'
import { column, type Entity, toOne } from '../entity.ts'
import { sourceReads } from '../source-reads.ts'
import { isNotDeleted } from '../sources.ts'

/** Periods in which operators were signed in at machines. */
export const operatorRuns: Entity = {
  name: 'OperatorRunTP',
  description: 'A period in which an operator was signed in at a machine',
  key: ['operatorRunId'],
  order: ['startAt'],
  columns: {
    operatorRunId: column.uuid(sql`id`),
    startAt: column.instant(sql`start_ms`),
    endAt: column.instantOrNull(sql`end_ms`, 'null while the operator is signed in'),
    machineId: column.uuid(sql`machine_id`),
    operatorId: column.text(sql`operator_id`),
  },
  relations: {
    machine: toOne('machines', ['machineId', 'machineId']),
    operator: toOne('operators', ['operatorId', 'operatorId']),
  },
  reads: sourceReads('operatorRun'),
  source: ({ companyId }, where) => from(table, companyId, { final: true, where: [isNotDeleted, ...where] }),
}
