import type { Logger } from 'pino'
import type { Log } from '../../log/log.ts'
import { liveRecord } from '../../processors/partitions/live-record.ts'
import type { ConnectorHealth } from '../../schema/connector-health.ts'
import type { CompanyRef } from '../../schema/refs.ts'
import { type HealthOfConnector, topics } from '../../schema/topics.ts'
import { every } from '../../shared/async/every.ts'
import type { LiveFeed } from '../live/feed.ts'

const checkEveryMs = 200
/** Interval at which the numbers of all connectors are published, also for processes that started since. */
const publishAllEveryMs = 5_000
/** Age after which a connector's process is assumed to have ended. */
const maxAgeMs = 15_000
/** Limit of a message, so that it fits a record of the log (1 MB by default in Kafka). */
const maxMessageBytes = 900_000

interface PublisherPorts {
  readonly log: Pick<Log, 'append'>
  readonly logger: Pick<Logger, 'warn'>
  /** The connectors that run in this process. */
  readonly read: () => Iterable<HealthOfConnector>
}

/** Publishes the health of this process's connectors on the live topic: changed states soon, numbers every 5 s. */
export class HealthPublisher {
  readonly #ports: PublisherPorts
  readonly #changed = new Set<string>()
  #publishedAllMs = -Infinity
  #sending: Promise<void> = Promise.resolve()
  #stopTimer: () => void = () => undefined

  constructor(ports: PublisherPorts) {
    this.#ports = ports
  }

  start(): void {
    this.#stopTimer = every(checkEveryMs, () => {
      this.#sending = this.#sending
        .then(() => this.#send())
        .catch((error: unknown) =>
          this.#ports.logger.warn({ err: error }, 'Failed to publish the health of connectors'),
        )
    })
  }

  /** The state of a connector has changed. */
  changed(ref: Pick<HealthOfConnector, 'companyRef' | 'connectorId'>): void {
    this.#changed.add(keyOf(ref))
  }

  async stop(): Promise<void> {
    this.#stopTimer()
    await this.#sending
  }

  async #send(): Promise<void> {
    const isAll = performance.now() - this.#publishedAllMs >= publishAllEveryMs
    if (isAll) this.#publishedAllMs = performance.now()
    else if (this.#changed.size === 0) return
    const connectors = [...this.#ports.read()].filter(each => isAll || this.#changed.has(keyOf(each)))
    this.#changed.clear()
    for (const some of divide(connectors))
      await this.#ports.log.append(topics.live, [liveRecord({ kind: 'connectors', connectors: some })])
  }
}

/** Divides connectors into messages: one has up to 1,000 machines, and an error of 1,500 characters. */
function divide(connectors: readonly HealthOfConnector[]): readonly (readonly HealthOfConnector[])[] {
  const messages: HealthOfConnector[][] = []
  let bytes = Infinity
  for (const each of connectors) {
    const size = Buffer.byteLength(JSON.stringify(each)) + 1
    bytes += size
    if (bytes > maxMessageBytes) {
      messages.push([])
      bytes = size
    }
    messages.at(-1)?.push(each)
  }
  return messages
}

/** The health of the connectors of all processes. */
export interface ConnectorHealthIndex {
  /** Returns the health of a connector; null: no process has published it for 15 s. */
  get(companyRef: CompanyRef, connectorId: string): ConnectorHealth | null
  /** Whether 15 s have passed since the start: a connector without health runs in no process. */
  isComplete(): boolean
  stop(): void
}

/** Follows the health of connectors that all processes publish. `clock`: UTC ms. */
export function followConnectorHealth(feed: LiveFeed, clock: () => number): ConnectorHealthIndex {
  /** In order of receipt. */
  const known = new Map<string, { readonly health: ConnectorHealth; readonly receivedMs: number }>()
  const startedMs = clock()
  const stop = feed.listen({
    connectors({ connectors }) {
      const nowMs = clock()
      for (const each of connectors) {
        known.delete(keyOf(each))
        known.set(keyOf(each), { health: each.health, receivedMs: nowMs })
      }
      // Deleted connectors must not stay in memory.
      for (const [key, { receivedMs }] of known) {
        if (nowMs - receivedMs <= maxAgeMs) break
        known.delete(key)
      }
    },
  })
  return {
    stop,
    isComplete: () => clock() - startedMs > maxAgeMs,
    get(companyRef, connectorId) {
      const found = known.get(keyOf({ companyRef, connectorId }))
      return found !== undefined && clock() - found.receivedMs <= maxAgeMs ? found.health : null
    },
  }
}

function keyOf({ companyRef, connectorId }: Pick<HealthOfConnector, 'companyRef' | 'connectorId'>): string {
  return `${companyRef} ${connectorId}`
}
