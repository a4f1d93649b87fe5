import { partitionOf } from '../../schema/records/alert-evaluation.ts'
import { fieldError, validationError } from '../../schema/errors.ts'
import { type AlertGap, alertGapList, alertGapsQuery } from '../../schema/requests/alert-gaps.ts'
import { unsafe } from '../../schema/types.ts'
import { toInstantOrNull } from '../../shared/time/instant.ts'
import { anyOf } from '../auth/scopes.ts'
import { route } from '../http/route.ts'
import type { JsonList } from '../json/write-json.ts'
import type { RecordsPort } from '../ports/ports.ts'
import { answerAll } from './page.ts'
import { compareTexts } from '../../shared/collections/compare-texts.ts'

const listGaps = route('GET /alert-gaps', 'listAlertGaps', {
  summary: 'Times in which alert rules were evaluated late, by start',
  description:
    'Of the whole installation. In these times silence and missing data count for no rule: the service was behind. The last 1,000 of each partition.',
  scope: anyOf('alert.read'),
  query: alertGapsQuery,
  output: unsafe<JsonList>(alertGapList),
  handle({ query }, { records }: RecordsPort) {
    const [start, end] = [toInstantOrNull(query.start), toInstantOrNull(query.end)]
    if (start !== null && end !== null && start >= end)
      throw validationError([fieldError('start', 'InvalidRange', 'start must be before end')])
    const gaps = records.alertEvaluations().flatMap(evaluation => {
      const partition = partitionOf(evaluation)
      return evaluation.gaps
        .filter(({ startAt, endAt }) => (start === null || endAt > start) && (end === null || startAt < end))
        .map(({ startAt, endAt }): AlertGap => ({ partition, startAt, endAt }))
    })
    return answerAll(
      gaps.toSorted((a, b) => compareTexts(a.startAt, b.startAt) || a.partition - b.partition),
      gap => gap,
    )
  },
})

export const alertGapRoutes = [listGaps]
