/** Bodies of posts as gateways send them, equal in every run. */

export interface Shape {
  readonly machines: readonly string[]
  readonly samples: number
  /** Samples of a machine in one batch; with 1, each sample is a line of its own. */
  readonly batch: number
  /** Batches, or lines, of a post. */
  readonly batches: number
  /** Time of the first sample, UTC ms. */
  readonly startMs: number
}

const measured = [
  { key: 'Xabs', type: 'POSITION', subtype: 'ACTUAL' },
  { key: 'Yabs', type: 'POSITION', subtype: 'ACTUAL' },
  { key: 'Zabs', type: 'POSITION', subtype: 'ACTUAL' },
  { key: 'Xload', type: 'LOAD' },
  { key: 'Yload', type: 'LOAD' },
  { key: 'Zload', type: 'LOAD' },
  { key: 'Srpm', type: 'ROTARY_VELOCITY', subtype: 'OVERRIDE' },
  { key: 'Stemp', type: 'TEMPERATURE' },
  { key: 'path_feedrate', type: 'PATH_FEEDRATE', subtype: 'ACTUAL' },
  { key: 'line', type: 'LINE_NUMBER', category: 'EVENT' },
] as const
/** One sample in this number is a state sample. */
export const decidingEvery = 50
const spacingMs = 100

/** Yields each body, with its number of samples. */
export function* bodies({ machines, samples, batch, batches, startMs }: Shape): Generator<Body> {
  const sent = new Uint32Array(machines.length)
  let machine = 0
  for (let left = samples; left > 0;) {
    const parts: string[] = []
    let count = 0
    while (parts.length < batches && left > 0) {
      const size = Math.min(batch, left)
      const first = sent[machine] ?? 0
      const items = Array.from({ length: size }, (_, i) => sampleOf(first + i, startMs + (first + i) * spacingMs))
      const machineId = machines[machine]
      parts.push(JSON.stringify(batch === 1 ? { machineId, ...items[0] } : { machineId, samples: items }))
      sent[machine] = first + size
      machine = (machine + 1) % machines.length
      left -= size
      count += size
    }
    yield { bytes: Buffer.from(batch === 1 ? parts.join('\n') : `[${parts.join(',')}]`), count }
  }
}

export interface Body {
  readonly bytes: Buffer
  readonly count: number
}

/** The sample of a machine with the given index, at the given time. */
export function sampleOf(index: number, atMs: number): object {
  const timestamp = new Date(atMs).toISOString()
  if (index % decidingEvery === 0) {
    const value = index % (2 * decidingEvery) === 0 ? 'ACTIVE' : 'READY'
    return { timestamp, key: 'execution', type: 'EXECUTION', value }
  }
  const names = measured[index % measured.length]
  return { timestamp, ...names, value: ((index * 7919) % 1_000_003) / 1000 }
}
