import { sql } from '../../../../clickhouse/sql/sql.ts'
import { from } from '../../../../clickhouse/tables/from.ts'
import { annotationsByMachine as table } from '../../../../clickhouse/tables/record-kinds.ts'
import { column, type Entity, toOne } from '../entity.ts'
import { sourceReads } from '../source-reads.ts'
import { isNotDeleted } from '../sources.ts'

/** Annotations: downtime of a machine to which a user assigned a reason. */
export const annotations: Entity = {
  name: 'AnnotationTP',
  description: 'Downtime of a machine with an assigned reason',
  key: ['annotationId'],
  order: ['startAt'],
  columns: {
    annotationId: column.uuid(sql`id`),
    startAt: column.instant(sql`start_ms`),
    endAt: column.instantOrNull(sql`end_ms`, 'null while the downtime is ongoing'),
    note: column.text(sql`note`),
    machineId: column.uuid(sql`machine_id`),
    annotationTypeId: column.int(sql`reason`),
  },
  relations: {
    machine: toOne('machines', ['machineId', 'machineId']),
    annotationType: toOne('annotationTypes', ['annotationTypeId', 'annotationTypeId']),
  },
  reads: sourceReads('annotation'),
  source: ({ companyId }, where) => from(table, companyId, { final: true, where: [isNotDeleted, ...where] }),
}
