import { rangeQuery } from '../../schema/requests/page.ts'
import { endsAfter, timedKinds } from '../../clickhouse/projections/timed-records.ts'
import type { QueryOptions } from '../../clickhouse/client/store.ts'
import { list, partial, text, unsafe } from '../../schema/types.ts'
import { type AnnotationResponse, annotationResponse, annotationList } from '../../schema/records/annotation.ts'
import { anyOf } from '../auth/scopes.ts'
import { route } from '../http/route.ts'
import type { JsonList } from '../json/write-json.ts'
import type { RecordsPort, StorePort } from '../ports/ports.ts'
import { findRecord } from './find-record.ts'
import { answerPage, readPage } from './page.ts'
import { withoutCompany, recordRoutes } from './record-routes.ts'

const path = '/annotations'
const read = anyOf('annotation.read')

const listAnnotations = route(`GET ${path}`, 'listAnnotations', {
  summary: 'Annotations, by start',
  description: 'Annotations that overlap the range. Those of one machine never overlap.',
  scope: read,
  query: partial({ machineId: list(text, { maxItems: 1000 }), ...rangeQuery }),
  output: unsafe<JsonList<AnnotationResponse>>(annotationList),
  async handle(call, { records, store }: RecordsPort & StorePort) {
    const { id: companyId } = call.caller().company
    const deps = { records, store, companyId }
    const list = {
      of: timedKinds.annotation,
      find: (id: string, options: QueryOptions) => findRecord(deps, companyId, 'annotation', id, options),
      lasting: { reaches: (atMs: number) => ({ rows: [endsAfter(atMs)] }) },
    }
    return answerPage(await readPage(list, deps, call.query.machineId, call), withoutCompany, path, call)
  },
})

const cuts =
  'It cuts what it covers: other annotations of the machine keep what is left of them; of one cut in the middle the left part keeps the id.'

export const annotationRoutes = [
  listAnnotations,
  ...recordRoutes({
    kind: 'annotation',
    path,
    read,
    write: anyOf('annotation'),
    output: annotationResponse,
    present: withoutCompany,
    post: { summary: 'Categorise downtime: annotate a time interval', description: cuts },
    put: { summary: 'Create or replace an annotation', description: cuts },
    delete: { summary: 'Delete an annotation', description: 'Annotations that it had cut stay cut.' },
  }),
]
