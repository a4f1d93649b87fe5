import type { StatusUpdate } from '../../../schema/requests/live.ts'
import type { LiveStatus } from '../../../schema/topics.ts'
import { Frame } from '../outbox/frame.ts'
import type { ValueChange } from '../values/latest-values.ts'
import type { LiveMetric } from '../values/metrics.ts'

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

/** The last result, because many samples of a batch have the same instant. */
let last = { ms: Number.NaN, text: '' }

/** `YYYY-MM-DD HH:mm:ss.SSS+00:00` */
function spacedTimestamp(ms: number): string {
  if (ms !== last.ms) last = { ms, text: spaced(ms) }
  return last.text
}

function spaced(ms: number): string {
  const iso = new Date(ms).toISOString()
  return `${iso.slice(0, -14)} ${iso.slice(-13, -1)}+00:00`
}

/** `YYYY-MM-DDTHH:mm:ss.SSS+00:00` */
function offsetTimestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}+00:00`
}
