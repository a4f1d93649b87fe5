import { rangeQuery } from '../../schema/requests/page.ts'
import { firstIndex } from '../../processors/records/sorted-by-machine.ts'
import { list, partial, text, unsafe } from '../../schema/types.ts'
import {
  type AnnotationRecord,
  type AnnotationResponse,
  annotationResponse,
  annotationList,
} from '../../schema/records/annotation.ts'
import { anyOf } from '../auth/scopes.ts'
import { route } from '../http/route.ts'
import type { JsonList } from '../json/write-json.ts'
import type { RecordsPort } from '../ports/ports.ts'
import { recordsInRange, type Timed, answerPage } from './page.ts'
import { withoutCompany, recordRoutes } from './record-routes.ts'

const path = '/annotations'
const read = anyOf('annotation.read')

const listAnnotations = route(`GET ${path}`, 'listAnnotations', {
  summary: 'Annotations, by start',
  description: 'Annotations that overlap the range. Those of one machine never overlap.',
  scope: read,
  query: partial({ machineId: list(text, { maxItems: 1000 }), ...rangeQuery }),
  output: unsafe<JsonList<AnnotationResponse>>(annotationList),
  handle(call, deps: RecordsPort) {
    const { id: companyId } = call.caller().company
    const { machineId, ...range } = call.query
    const found = recordsInRange(timed(companyId, deps.records), { records: deps.records, companyId }, machineId, range)
    return answerPage(found, withoutCompany, path, call)
  },
})

const cuts =
  'It cuts what it covers: other annotations of the machine keep what is left of them; of one cut in the middle the left part keeps the id.'

function timed(companyId: string, records: RecordsPort['records']): Timed<AnnotationRecord> {
  return {
    of: machineId => records.annotationsOf(machineId),
    find: id => records.get('annotation', companyId, id),
    at: ({ startAt }) => startAt,
    lasting: {
      // Annotations do not overlap, so only the last one that begins before an instant can extend beyond it.
      earliest(machineId, instant) {
        const all = records.annotationsOf(machineId)
        return all[firstIndex(all, ({ startAt }) => startAt < instant) - 1]?.startAt ?? instant
      },
      reaches: ({ endAt }, instant) => endAt === null || endAt > instant,
    },
  }
}

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
