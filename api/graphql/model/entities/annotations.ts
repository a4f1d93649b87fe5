import { sql } from '../../../../clickhouse/sql/sql.ts'
import { from } from '../../../../clickhouse/tables/from.ts'
import { annotationsByMachine as table } from '../../../../clickhouse/tables/record-kinds.ts'
import { type Entity, instant, instantOrNull, int, one, text, uuid } from '../entity.ts'
import { readings } from '../readings.ts'
import { isThere } from '../sources.ts'

/** Categorised downtime. */
export const annotations: Entity = {
  name: 'AnnotationTP',
  description: 'Downtime of a machine that was given a reason',
  key: ['annotationId'],
  order: ['startAt'],
  columns: {
    annotationId: uuid(sql`id`),
    startAt: instant(sql`start_ms`),
    endAt: instantOrNull(sql`end_ms`, 'null: it goes on'),
    note: text(sql`note`),
    machineId: uuid(sql`machine_id`),
    annotationTypeId: int(sql`reason`),
  },
  relations: {
    machine: one('machines', ['machineId', 'machineId']),
    annotationType: one('annotationTypes', ['annotationTypeId', 'annotationTypeId']),
  },
  reads: readings('annotation'),
  source: ({ companyId }, where) => from(table, companyId, { final: true, where: [isThere, ...where] }),
}
