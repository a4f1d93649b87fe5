import { Counter, Gauge, type Registry } from 'prom-client'
import type { ConnectorHealth, ConnectorTotals } from '../../schema/connector-health.ts'
import type { ConnectorKind } from '../../schema/records/connector.ts'

/** A connector that runs in this process. */
export interface MeasuredConnector {
  readonly kind: ConnectorKind
  /** Name of the company and the connector, unique in the installation. */
  readonly name: string
  readonly health: ConnectorHealth
}

interface MetricsOptions {
  readonly read: () => Iterable<MeasuredConnector>
  /** Whether each connector has its own figures: there may be thousands. */
  readonly isByConnector: boolean
}

type Total = Exclude<keyof ConnectorTotals, 'rejected'>

const helpOf: Readonly<Record<Total, string>> = {
  observations: 'Observations that connectors have read.',
  samples: 'Samples of connectors that the log has acknowledged, heartbeats included.',
  duplicates: 'Observations that connectors have read again.',
  gaps: 'Losses of sources that cannot be repaired.',
  lost: 'Lost observations, as far as their number is known.',
  holes: 'Observations that are missing without a lost connection.',
  backwards: 'Observations with a time before that of the previous one of their key.',
  poison: 'Documents of sources that cannot be read.',
  unmapped: 'Values of sources without a rule.',
  dropped: 'Samples that did not fit the buffer.',
  reconnects: 'Connections to sources after the first one.',
  restarts: 'Restarts of sources.',
}
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are the names of the totals
const totalNames = Object.keys(helpOf) as readonly Total[]

/** Registers the metrics of the connectors of this process, by kind. */
export function measureConnectors(registry: Registry, { read: readAll, isByConnector }: MetricsOptions): void {
  const read = oncePerCollection(readAll)
  const labels = isByConnector ? ['kind', 'connector'] : ['kind']
  const labelsOf = ({ kind, name }: MeasuredConnector) => (isByConnector ? { kind, connector: name } : { kind })
  const gauge = (name: string, help: string, labelNames: string[], collect: (to: Gauge) => void) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        this.reset()
        collect(this)
      },
    })
  gauge('takt_connector_states', 'Connectors of this process by state.', [...labels, 'state'], to => {
    for (const each of read()) to.inc({ ...labelsOf(each), state: each.health.state })
  })
  gauge('takt_connector_lag_seconds', 'Largest lag of the newest sample, also while a source is quiet.', labels, to => {
    const largest = new Map<string, number>()
    for (const each of read()) {
      const key = isByConnector ? each.name : each.kind
      const seconds = Math.max((each.health.lagMs ?? -Infinity) / 1000, largest.get(key) ?? -Infinity)
      largest.set(key, seconds)
      if (seconds > -Infinity) to.set(labelsOf(each), seconds)
    }
  })
  gauge('takt_connector_waiting_bytes', 'Samples of connectors that wait for the log, in memory.', labels, to => {
    for (const each of read()) to.inc(labelsOf(each), each.health.waitingBytes)
  })
  gauge('takt_connector_buffer_bytes', 'Samples of connectors that wait for the log, on disk.', labels, to => {
    for (const each of read()) to.inc(labelsOf(each), each.health.buffer?.bytes ?? 0)
  })
  for (const total of totalNames) countTotal(registry, total, labels, { read, labelsOf })
}

/** All metrics of a request are collected before the next microtask, so that they share the list. */
function oncePerCollection<Item>(readAll: () => Iterable<Item>): () => readonly Item[] {
  let shared: readonly Item[] | null = null
  return () => {
    if (shared === null) queueMicrotask(() => (shared = null))
    return (shared ??= [...readAll()])
  }
}

/** Counts increases: the totals of a connector begin again at 0 when it is restarted, the metric does not. */
function countTotal(
  registry: Registry,
  total: Total,
  labelNames: string[],
  {
    read,
    labelsOf,
  }: Pick<MetricsOptions, 'read'> & { readonly labelsOf: (each: MeasuredConnector) => Record<string, string> },
): void {
  let counted = new Map<string, number>()
  registry.registerMetric(
    new Counter({
      name: `takt_connector_${total}_total`,
      help: helpOf[total],
      labelNames,
      registers: [],
      collect() {
        const now = new Map<string, number>()
        for (const each of read()) {
          const value = each.health.totals[total]
          const before = counted.get(each.name) ?? 0
          now.set(each.name, value)
          this.inc(labelsOf(each), value < before ? value : value - before)
        }
        counted = now
      },
    }),
  )
}
