import type { Device } from '../../ingest/shdr/devices.ts'
import type { Sequence } from './sequence.ts'

/** Limit of an XPath in the address of a request; with more devices, all are read. */
const maxPathLength = 4_000

/** Parameters of a `sample` request. */
export interface SampleParameters {
  readonly from: Sequence
  readonly count: number
  /** Times of a stream, ms; null: the response is one document. */
  readonly stream: { readonly intervalMs: number; readonly heartbeatMs: number } | null
}

/** Returns the path of `current`. `filter`: an XPath of devices; null: all. */
export function currentPath(filter: string | null): string {
  return filter === null ? '/current' : `/current?path=${encodeURIComponent(filter)}`
}

/** Returns the path of `sample`. */
export function samplePath({ from, count, stream }: SampleParameters, filter: string | null): string {
  const times = stream === null ? '' : `&interval=${stream.intervalMs}&heartbeat=${stream.heartbeatMs}`
  const path = filter === null ? '' : `&path=${encodeURIComponent(filter)}`
  return `/sample?from=${from}${times}&count=${count}${path}`
}

/** Returns the XPath of the selected devices; null: they are all devices of the agent, or it would be too long. */
export function devicesPath(
  selected: readonly Pick<Device, 'name' | 'uuid'>[],
  all: readonly unknown[],
): string | null {
  if (selected.length === 0 || selected.length === all.length) return null
  const paths = selected.map(({ name, uuid }) => {
    const [attribute, value] = uuid === null ? ['name', name] : ['uuid', uuid]
    const quote = value.includes('"') ? "'" : '"'
    return value.includes(quote) ? null : `//Device[@${attribute}=${quote}${value}${quote}]`
  })
  const path = paths.join('|')
  return paths.includes(null) || path.length > maxPathLength ? null : path
}
