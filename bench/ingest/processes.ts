/**
 * From posts to the reports over Kafka, in three processes: `api`, `ingest` and `process`. ClickHouse is the HTTP front of the tests, with its CPU
 * time listed separately. Broker, gateways and all processes share this machine:
 *
 *   node --import tsx bench/ingest/processes.ts [samples=1000000] [machines=1000] [samples a batch=100] [batches a post=20]
 */
import { startChild } from '../../test/support/child-service.ts'
import { sharedBroker } from '../../test/support/kafka.ts'
import { testKey } from '../../test/support/service.ts'
import { addMachines } from '../support/machines.ts'
import { ask, startScript } from '../support/processes.ts'
import { cpuOf, cpuOfChildren } from '../support/usage.ts'
import type { Shape } from './bodies.ts'
import { perSecond, post, startClient } from './clients.ts'

const [samples = 1_000_000, machineCount = 1_000, batch = 100, batches = 20] = process.argv.slice(2).map(Number)
/** Samples of each machine before the measurement, in which its first hours are computed. */
const firstOfMachine = 50
const roles = ['api', 'ingest', 'process']

const broker = await sharedBroker()
if (!broker) throw new Error('No Kafka broker is available')
const front = startScript(new URL('front.ts', import.meta.url))
const clickhouse = await ask<Readonly<Record<string, string>>>(front, {})
const env = { ...clickhouse, KAFKA_BROKERS: broker.brokers.join(',') }
const services = await Promise.all(roles.map(role => startChild({ ...env, TAKT_ROLES: role })))
try {
  const [api] = services
  if (!api) throw new Error('No process has the role api')
  const machines = await addMachines(api, machineCount)
  const startMs = Date.now() - Math.ceil(samples / machineCount) * 100 - 5_000
  const shape: Shape = { machines, samples, batch, batches, startMs }
  const gateways = { url: api.url, key: testKey, connections: 4 }
  const client = await startClient({ ...shape, ...gateways })
  const first = { samples: machineCount * firstOfMachine, batch: 50, startMs: startMs - 60_000 }
  await post(await startClient({ ...shape, ...gateways, ...first }))
  await api.settled()

  const cpu = () => [...services.map(({ pid }) => cpuOf(pid).all), cpuOf(front.pid ?? -1).all, cpuOfChildren('java')]
  const before = cpu()
  const startedMs = performance.now()
  const report = await post(client)
  await api.settled()
  const elapsedMs = performance.now() - startedMs
  const spent = cpu().map((us, index) => us - (before[index] ?? 0))
  console.log(`posted                   ${perSecond(report.accepted, report.elapsedMs)}`)
  console.log(`in the reports           ${perSecond(report.accepted, elapsedMs)}`)
  for (const [index, name] of [...roles, 'front of ClickHouse', 'broker'].entries())
    console.log(`CPU of ${name.padEnd(20)} ${((spent[index] ?? 0) / report.accepted).toFixed(2)} µs a sample`)
  console.log(`CPU of gateways          ${(report.cpuUs / report.accepted).toFixed(2)} µs`)
} finally {
  await Promise.all(services.map(service => service.kill()))
  front.kill()
}
