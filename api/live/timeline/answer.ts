import type { MetricDescriptor, TimelineSample } from '../../../schema/requests/live.ts'
import { Frame } from '../frame.ts'
import type { LiveTimelineRequest } from './request.ts'

/** Samples by their tag. */
export type Tagged = ReadonlyMap<string, readonly TimelineSample[]>

/** The `update` of a request. What every tag repeats comes from the request as it was sent. */
export function timelineFrame({ asked, wanted }: LiveTimelineRequest, tagged: Tagged): Frame {
  const { machineId, startAt, endAt = null, requestId = null } = asked
  const answer = (metrics: MetricDescriptor, data: readonly TimelineSample[]) =>
    JSON.stringify({ machineId, startAt, endAt, requestId, metrics, data })
  // By hand: a tag may be any text, `__proto__` too.
  const members = wanted.flatMap(({ tag, descriptor }) => {
    const data = tagged.get(tag)
    return data === undefined ? [] : [`${JSON.stringify(tag)}:${answer(descriptor, data)}`]
  })
  return new Frame('timeline', 'update', `{"data":{${members.join(',')}}}`)
}
