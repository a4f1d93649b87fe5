import { sql } from '../../../../clickhouse/sql/sql.ts'
import { from } from '../../../../clickhouse/tables/from.ts'
import { annotationsByMachine as table } from '../../../../clickhouse/tables/record-kinds.ts'
import { type Entity, instantColumn, instantColumnOrNull, intColumn, one, textColumn, uuidColumn } from '../entity.ts'
import { readings } from '../readings.ts'
import { isThere } from '../sources.ts'

/** Annotations: downtime of a machine to which a user assigned a reason. */
export const annotations: Entity = {
  name: 'AnnotationTP',
  description: 'Downtime of a machine with an assigned reason',
  key: ['annotationId'],
  order: ['startAt'],
  columns: {
    annotationId: uuidColumn(sql`id`),
    startAt: instantColumn(sql`start_ms`),
    endAt: instantColumnOrNull(sql`end_ms`, 'null: ongoing'),
    note: textColumn(sql`note`),
    machineId: uuidColumn(sql`machine_id`),
    annotationTypeId: intColumn(sql`reason`),
  },
  relations: {
    machine: one('machines', ['machineId', 'machineId']),
    annotationType: one('annotationTypes', ['annotationTypeId', 'annotationTypeId']),
  },
  reads: readings('annotation'),
  source: ({ companyId }, where) => from(table, companyId, { final: true, where: [isThere, ...where] }),
}
