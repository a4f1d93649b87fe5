import { statfs } from 'node:fs/promises'
import type { Log } from '../../log/log.ts'
import type { SystemReading, SystemReadings } from '../../respond/evaluate/system-evaluator.ts'
import type { Health } from '../../schema/requests/health.ts'
import { topics } from '../../schema/topics.ts'
import { withTimeout } from '../../shared/async/with-timeout.ts'
import { minuteMs } from '../../shared/time/units.ts'

export interface SystemChecksDeps {
  readonly log: Pick<Log, 'endOffsets'>
  readonly health: () => Promise<Pick<Health, 'clickhouse' | 'log' | 'liveLag'>>
  readonly dataFolder: string
  readonly clock: () => number
}

/** Time in which rejected samples are counted. */
const countedMs = 10 * minuteMs
/** Limit of a check: an outage must not delay the others. */
const withinMs = 1_000

/** Reads what alert rules on the system check. */
export class SystemChecks {
  readonly #deps: SystemChecksDeps
  /** Ends of the topic of rejected samples, in order. */
  #deadLetters: { readonly atMs: number; readonly end: number }[] = []
  /** The lag of live hours, s; of the first readings, the time since the start. */
  #lag: { readonly seconds: number; readonly isLowerBound: boolean } = { seconds: 0, isLowerBound: true }

  constructor(deps: SystemChecksDeps) {
    this.#deps = deps
  }

  /** Reads all checks; those that fail are missing. */
  async read(): Promise<SystemReadings> {
    const { health, dataFolder } = this.#deps
    const [state, disk, deadLetters] = await Promise.all([
      health(),
      orNull(readUsedPercent(dataFolder)),
      orNull(this.#countDeadLetters()),
    ])
    return {
      store: availability(state.clickhouse),
      log: availability(state.log),
      lag: this.#lagOf(state.liveLag),
      ...(disk !== null && { disk: { value: disk, isLowerBound: false } }),
      ...(deadLetters !== null && { deadLetters }),
    }
  }

  /** Until a measurement reaches the newest samples, the lag is the time since the start, which only grows. */
  #lagOf({ records, seconds }: Health['liveLag']): SystemReading {
    const isLowerBound = this.#lag.isLowerBound && records > 0 && seconds >= this.#lag.seconds
    this.#lag = { seconds, isLowerBound }
    return { value: seconds, isLowerBound }
  }

  /** Counts by offsets. On Kafka, the markers of transactions count too: none, or more than were rejected. */
  async #countDeadLetters(): Promise<SystemReading> {
    const ends = await this.#deps.log.endOffsets(topics.deadLetters)
    const atMs = this.#deps.clock()
    const end = ends.reduce((sum, each) => sum + each, 0)
    this.#deadLetters.push({ atMs, end })
    const begin = this.#deadLetters.findLastIndex(each => each.atMs <= atMs - countedMs)
    if (begin > 0) this.#deadLetters.splice(0, begin)
    const [first] = this.#deadLetters
    return { value: Math.max(0, end - (first?.end ?? end)), isLowerBound: begin < 0 }
  }
}

/** Resolves to null if a check fails or takes too long. */
function orNull<Value>(check: Promise<Value>): Promise<Value | null> {
  const found = check.catch(() => null)
  return withTimeout(withinMs, found, () => null)
}

function availability(state: string): SystemReading {
  return { value: state === 'ok' ? 0 : 1, isLowerBound: false }
}

/** Returns the used part of the disk of a folder, in percent: of the space that is not reserved, as `df` shows it. */
async function readUsedPercent(folder: string): Promise<number> {
  const { blocks, bfree, bavail } = await statfs(folder)
  const used = blocks - bfree
  return Math.round((1000 * used) / (used + bavail)) / 10
}
