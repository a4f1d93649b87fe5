import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { groupBy } from '../../shared/collections/group-by.ts'
import { bytesOf } from '../ingest/disk.ts'
import { memoryOf } from '../support/usage.ts'
import type { ChildService } from '../../test/support/child-service.ts'

/** Memory rises during an hour: a longer series is split into intervals of this length. */
const chunkMs = 600_000
const hourS = 3_600

interface Moment {
  readonly seconds: number
  readonly memoryMb: number
  readonly lagRecords: number
  readonly parts: number
  readonly diskMb: number
}

/** Resources that a service uses, polled every few seconds. */
export class Course {
  readonly #service: ChildService
  readonly #dataDir: string
  readonly #startedMs = performance.now()
  readonly #startedAt = Date.now()
  readonly #moments: Moment[] = []
  readonly #timer: NodeJS.Timeout

  constructor(service: ChildService, dataDir: string, everyMs: number) {
    this.#service = service
    this.#dataDir = dataDir
    this.#timer = setInterval(() => void this.#look().catch(() => undefined), everyMs)
  }

  end(): void {
    clearInterval(this.#timer)
  }

  /** MB a minute by which memory grows in the second half: the slope of a line through the measurements. */
  memorySlope(): number {
    const late = this.#moments.slice(Math.floor(this.#moments.length / 2))
    const mean = (of: (moment: Moment) => number) => late.reduce((sum, each) => sum + of(each), 0) / late.length
    const [meanS, meanMb] = [mean(({ seconds }) => seconds), mean(({ memoryMb }) => memoryMb)]
    const over = late.reduce((sum, { seconds, memoryMb }) => sum + (seconds - meanS) * (memoryMb - meanMb), 0)
    const under = late.reduce((sum, { seconds }) => sum + (seconds - meanS) ** 2, 0)
    return (over / under) * 60
  }

  /** Memory of a series of more than an hour: the median of each ten minutes, and the median of its growth within an hour. */
  hours(): string {
    const chunks = groupBy(this.#moments, ({ seconds }) => Math.floor((this.#startedAt + seconds * 1_000) / chunkMs))
    const told = [...chunks].map(
      ([chunk, moments]) =>
        `${new Date(chunk * chunkMs).toISOString().slice(11, 16)} ${median(moments.map(({ memoryMb }) => memoryMb))} MB`,
    )
    const more = this.#moments.flatMap(({ seconds, memoryMb }) => {
      const before = this.#moments.find(each => each.seconds >= seconds - hourS)
      return seconds < hourS || !before ? [] : [memoryMb - before.memoryMb]
    })
    return `${told.join(', ')}; ${median(more)} MB more than an hour before`
  }

  /** First, median, maximum and last of the measurements. */
  toString(): string {
    const of = (name: string, at: (moment: Moment) => number, unit: string) => {
      const all = this.#moments.map(at)
      const sorted = all.toSorted((a, b) => a - b)
      const text = [all[0], sorted[sorted.length >> 1], sorted.at(-1), all.at(-1)].map(n => Math.round(n ?? 0))
      return `${name.padEnd(24)} first ${text[0]}, median ${text[1]}, max ${text[2]}, last ${text[3]}${unit}`
    }
    return [
      of('memory', ({ memoryMb }) => memoryMb, ' MB'),
      of('log records behind', ({ lagRecords }) => lagRecords, ''),
      of('parts of the store', ({ parts }) => parts, ''),
      of('disk', ({ diskMb }) => diskMb, ' MB'),
    ].join('\n')
  }

  async #look(): Promise<void> {
    // A request of /health would count as a freshness request and end the flush intervals.
    const text = await (await fetch(`${this.#service.url}/metrics`)).text()
    const behind = text.matchAll(/^takt_(?:ingest|process)_lag_records\{[^}]*\} (\d+)/gm)
    this.#moments.push({
      seconds: (performance.now() - this.#startedMs) / 1_000,
      memoryMb: memoryOf(this.#service.pid),
      lagRecords: [...behind].reduce((sum, [, records]) => sum + Number(records), 0),
      parts: partsIn(join(this.#dataDir, 'store')),
      diskMb: bytesOf(this.#dataDir) / 1e6,
    })
  }
}

function median(numbers: readonly number[]): number {
  return Math.round(numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? NaN)
}

/** Folders of parts, including those replaced by merges: the engine keeps them for minutes. */
function partsIn(folder: string): number {
  return readdirSync(folder, { recursive: true }).filter(path => /_\d+_\d+_\d+$/.test(String(path))).length
}
