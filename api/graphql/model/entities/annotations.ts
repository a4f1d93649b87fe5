import { sql } from '../../../../clickhouse/sql/sql.ts'
import { from } from '../../../../clickhouse/tables/from.ts'
import { annotationsByMachine as table } from '../../../../clickhouse/tables/record-kinds.ts'
import { type Entity, instantColumn, instantColumnOrNull, intColumn, toOne, textColumn, uuidColumn } from '../entity.ts'
import { sourceReads } from '../source-reads.ts'
import { isNotDeleted } from '../sources.ts'

/** Annotations: downtime of a machine to which a user assigned a reason. */
export const annotations: Entity = {
  name: 'AnnotationTP',
  description: 'Downtime of a machine with an assigned reason',
  key: ['annotationId'],
  order: ['startAt'],
  columns: {
    annotationId: uuidColumn(sql`id`),
    startAt: instantColumn(sql`start_ms`),
    endAt: instantColumnOrNull(sql`end_ms`, 'null while the downtime is ongoing'),
    note: textColumn(sql`note`),
    machineId: uuidColumn(sql`machine_id`),
    annotationTypeId: intColumn(sql`reason`),
  },
  relations: {
    machine: toOne('machines', ['machineId', 'machineId']),
    annotationType: toOne('annotationTypes', ['annotationTypeId', 'annotationTypeId']),
  },
  reads: sourceReads('annotation'),
  source: ({ companyId }, where) => from(table, companyId, { final: true, where: [isNotDeleted, ...where] }),
}
