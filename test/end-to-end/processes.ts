import { startChild, type ChildService } from '../support/child-service.ts'
import { sharedBroker, type Broker } from '../support/kafka.ts'
import { type SharedClickhouse, sharedClickhouse } from '../support/shared-clickhouse.ts'
import { longChangeTimeout } from './tell-plant.ts'
import { removeTopics } from './topics.ts'

/** Processes that share a Kafka and a ClickHouse. */
export interface Processes {
  readonly broker: () => Broker
  readonly clickhouse: () => SharedClickhouse
  /** The settings of all processes. */
  readonly settings: () => Readonly<Record<string, string>>
  /**
   * Starts a process; default: with all roles, of this version. `settings` replace those of all processes; `main`: path of the built
   * `main.ts` of another version.
   */
  readonly start: (roles?: string, settings?: Readonly<Record<string, string>>, main?: string) => Promise<ChildService>
}

/** Sets up processes for the tests of a suite, which are skipped without a broker. Remaining processes are killed after each test. */
export function useProcesses(partitions: number): Processes {
  let broker: Broker | null = null
  let clickhouse: SharedClickhouse
  let env: Readonly<Record<string, string>>
  let children: ChildService[] = []

  before(async function () {
    broker = await sharedBroker()
    if (!broker) {
      this.skip()
      return
    }
    await removeTopics(broker)
    clickhouse = await sharedClickhouse()
    const shared = { KAFKA_BROKERS: broker.brokers.join(','), TAKT_PARTITIONS: String(partitions) }
    env = { ...clickhouse.env(), ...longChangeTimeout, ...shared }
  })

  afterEach(async () => {
    await Promise.all(children.map(child => child.kill()))
    children = []
  })

  return {
    broker() {
      if (!broker) throw new Error('No Kafka broker is available')
      return broker
    },
    clickhouse: () => clickhouse,
    settings: () => env,
    async start(roles, settings, main) {
      const child = await startChild({ ...env, ...(roles !== undefined && { TAKT_ROLES: roles }), ...settings }, main)
      children.push(child)
      return child
    },
  }
}
