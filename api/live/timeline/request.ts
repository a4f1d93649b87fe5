import type { GetMetrics, MetricDescriptor } from '../../../schema/requests/live.ts'
import { parseInstantMs } from '../../../shared/time/instant.ts'
import { CommandFailed } from '../failure.ts'
import { matcherOf } from '../values/metrics.ts'
import { synthesizedOf, type SynthesizedMetric } from './synthesized.ts'
import { dayMs } from '../../../shared/time/units.ts'

export interface TimelineLimits {
  readonly days: number
  readonly samples: number
}

/** One descriptor of a request, with its tag and the metrics that match it. */
export interface SeriesSelector {
  readonly tag: string
  readonly descriptor: MetricDescriptor
  matches(metric: Names): boolean
  /** Keys that are synthesized unless the machine sends a key of that name. */
  readonly synthesized: readonly SynthesizedMetric[]
}

interface Names {
  readonly key: string
  readonly type: string
  readonly subtype: string
}

/** A valid request. */
export interface LiveTimelineRequest {
  readonly command: GetMetrics
  readonly fromMs: number
  /** Infinity: no end. */
  readonly endMs: number
  readonly selectors: readonly SeriesSelector[]
}

/** Throws a `CommandFailed` with the error if the request is invalid. */
export function liveTimelineRequest(command: GetMetrics, { days }: TimelineLimits, nowMs: number): LiveTimelineRequest {
  const { requestId, startAt, endAt } = command
  const createError = (message: string) => new CommandFailed('invalid_request', message, { requestId })
  const fromMs = instantOf(startAt, createError)
  const endMs = endAt === null || endAt === undefined ? Infinity : instantOf(endAt, createError)
  if (fromMs >= endMs) throw createError('startAt must be before endAt')
  if (Math.min(endMs, nowMs) - fromMs > days * dayMs) throw createError(`Range too long: the maximum is ${days} days`)
  const selectors = command.metrics.map((descriptor, index) => selectorOf(descriptor, index, createError))
  const tags = selectors.map(({ tag }) => tag)
  const twice = tags.find((tag, index) => tags.indexOf(tag) !== index)
  if (twice !== undefined) throw createError(`Two metrics have the tag '${twice}'`)
  return { command, fromMs, endMs, selectors }
}

function instantOf(text: string, createError: (message: string) => CommandFailed): number {
  const ms = parseInstantMs(text)
  if (ms === null) throw createError(`Invalid date-time '${text}': use ISO 8601`)
  return ms
}

/** Without a tag, the tag is the key or the type if these are one name, otherwise the index of the descriptor. */
function selectorOf(
  descriptor: MetricDescriptor,
  index: number,
  createError: (message: string) => CommandFailed,
): SeriesSelector {
  const { key = null, type = null, subtype = null, tag } = descriptor
  if (key === null && type === null) throw createError(`metrics.${index} needs a key or a type`)
  const [isKey, isType, isSubtype] = [matcherOf(key), matcherOf(type), matcherOf(subtype)]
  const only = typeof key === 'string' ? key : key === null && typeof type === 'string' ? type : String(index)
  const matches = (names: Names) => isKey(names.key) && isType(names.type) && isSubtype(names.subtype)
  const keys = key === null ? [] : [key].flat()
  const synthesized = keys.flatMap(each => synthesizedOf(each) ?? []).filter(matches)
  return { tag: tag ?? only, descriptor, matches, synthesized: [...new Set(synthesized)] }
}
