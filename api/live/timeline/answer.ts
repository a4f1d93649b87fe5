import type { MetricDescriptor, TimelineSample } from '../../../schema/requests/live.ts'
import { Frame } from '../frame.ts'
import type { LiveTimelineRequest } from './request.ts'

/** Samples by their tag. */
export type Tagged = ReadonlyMap<string, readonly TimelineSample[]>

/** The `update` of a request, which repeats the descriptors of the request. */
export function timelineFrame({ asked, wanted }: LiveTimelineRequest, tagged: Tagged): Frame {
  const { machineId, startAt, endAt = null, requestId = null } = asked
  const answer = (metrics: MetricDescriptor, data: readonly TimelineSample[]) =>
    JSON.stringify({ machineId, startAt, endAt, requestId, metrics, data })
  // Not `Object.fromEntries`: a tag may be any string, such as `__proto__`.
  const members = wanted.flatMap(({ tag, descriptor }) => {
    const data = tagged.get(tag)
    return data === undefined ? [] : [`${JSON.stringify(tag)}:${answer(descriptor, data)}`]
  })
  return new Frame('timeline', 'update', `{"data":{${members.join(',')}}}`)
}
