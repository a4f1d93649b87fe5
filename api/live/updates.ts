import type { StatusUpdate } from '../../schema/requests/live.ts'
import type { LiveStatus } from '../../schema/topics.ts'
import { Frame } from './frame.ts'
import type { ValueChange } from './latest-values.ts'
import type { LiveMetric } from './metrics.ts'
import { offsetTimestamp, spacedTimestamp } from './timestamps.ts'

/**
 * The `update` of a value; strings are concatenated without `JSON.stringify`, because names and ids repeat by the
 * million.
 */
export function valueFrame({ metric, atUs, value }: ValueChange, machineId: string): Frame {
  const { before, after } = partsOf(metric)
  const timestamp = spacedTimestamp(Math.floor(atUs / 1000))
  const json = `{"machineId":"${machineId}","timestamp":"${timestamp}",${before}${JSON.stringify(value)}${after}`
  return new Frame('diagnostics', 'update', json)
}

interface Parts {
  readonly before: string
  readonly after: string
}

const parts = new WeakMap<LiveMetric, Parts>()

function partsOf(metric: LiveMetric): Parts {
  let known = parts.get(metric)
  if (known === undefined) {
    const { key, type, subtype } = metric
    const before = `"key":${JSON.stringify(key)},"type":${JSON.stringify(type)},"value":`
    parts.set(metric, (known = { before, after: `,"subtype":${JSON.stringify(subtype)}}` }))
  }
  return known
}

/** The `update` of a status. */
export function statusFrame(status: LiveStatus, machineId: string): Frame {
  return new Frame('status', 'update', JSON.stringify(statusUpdate(status, machineId)))
}

function statusUpdate({ status, sinceMs, faults }: LiveStatus, machineId: string): StatusUpdate {
  const update = { machineId, timestamp: offsetTimestamp(sinceMs), status }
  if (status !== 'FAULT') return update
  const shown = faults.map(({ key, type, value, atMs }) => ({ key, type, value, timestamp: offsetTimestamp(atMs) }))
  return { ...update, message: faults.find(({ message }) => message !== '')?.message ?? '', faults: shown }
}
