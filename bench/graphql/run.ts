/**
 * Measures GraphQL queries of a plant, from the text of the query to the text of the response, and the number of statements that each sends
 * to the store. The store is in process. A reference reads the rows of the first query by hand-written statements, one for each list.
 *
 *   node --import tsx bench/graphql/run.ts [machines=1000] [repeats=20] [part of the names=]
 */
import { loadavg } from 'node:os'
import { pino } from 'pino'
import { createGraphqlServer } from '../../api/graphql/http/server.ts'
import { defaultGraphqlLimits } from '../../api/ports/graphql-limits.ts'
import type { Store } from '../../clickhouse/client/store.ts'
import { Records } from '../../processors/records/records.ts'
import { defaultCompanySettings } from '../../schema/records/company.ts'
import { asCompanyRef } from '../../schema/refs.ts'
import { freshDatabase } from '../../test/support/database.ts'
import { company, writePlant } from './plant.ts'
import { byHand } from './reference.ts'

const [machines = 1000, repeats = 20] = process.argv.slice(2, 4).map(Number)
const only = process.argv[4] ?? ''
const nowMs = Math.floor(Date.now() / 3_600_000) * 3_600_000 + 1_800_000

const queries: Readonly<Record<string, string>> = {
  'three levels: states, alarms, annotations, runs': `{ machines { name machineRef
    currentStates(where: {metricKey: {_in: ["execution", "MasterExecution"]}}) { metricKey value startAt }
    currentAlarms { startAt nativeCode label description }
    annotations(where: {endAt: {_is_null: true}}) { startAt annotationType { name color } }
    activitySets(where: {closedAt: {_is_null: true}}) { activitySetRef operation { name } activities { activityType startAt endAt } } } }`,
  'machines alone': '{ machines { name machineRef } }',
  'state of one key': '{ machines { name currentStates(where: {metricKey: {_eq: "execution"}}) { metricKey value } } }',
  'state of one key, with startAt':
    '{ machines { name currentStates(where: {metricKey: {_eq: "execution"}}) { metricKey value startAt } } }',
  'MasterExecution with startAt':
    '{ machines { name currentStates(where: {metricKey: {_eq: "MasterExecution"}}) { value startAt } } }',
  'every state': '{ machines { name currentStates { metricKey value } } }',
  'every state with startAt': '{ machines { name currentStates { metricKey value startAt } } }',
  'active alarms': '{ machines { name currentAlarms { startAt nativeCode description } } }',
  'active alarms with ids': '{ machines { name currentAlarms { alarmId nativeCode } } }',
  'open annotations':
    '{ machines { name annotations(where: {endAt: {_is_null: true}}) { startAt annotationType { name } } } }',
  'open runs with their activities':
    '{ machines { name activitySets(where: {closedAt: {_is_null: true}}) { operation { name } activities { activityType startAt endAt } } } }',
  'machines that stand with a reason': '{ machines(where: {annotations: {endAt: {_is_null: true}}}) { name } }',
  'machines by a state':
    '{ machines(where: {currentStates: {metricKey: {_eq: "execution"}, value: {_eq: "ACTIVE"}}}) { name } }',
  'alarms of a day': '{ alarms_aggregate { aggregate { count } } }',
}

let statements = 0
const database = await freshDatabase()
try {
  const { store } = database
  await writePlant(store, machines, nowMs)
  const counted: Store = {
    ...store,
    columns: async (...args) => {
      statements++
      return store.columns(...args)
    },
    queryColumns: async (...args) => {
      statements++
      return store.queryColumns(...args)
    },
  }
  const server = createGraphqlServer({
    store: counted,
    records: new Records(),
    statuses: { get: () => null },
    clock: () => nowMs,
    logger: pino({ level: 'silent' }),
    limits: defaultGraphqlLimits,
    reports: null,
    recentValues: () => [],
  })
  const asking = { id: company.id, ref: asCompanyRef(company.ref), settings: defaultCompanySettings }
  const ask = async (query: string) => {
    const contextValue = {
      company: asking,
      signal: new AbortController().signal,
      isLate: () => false,
      hasStatuses: false,
    }
    const { body } = await server.executeOperation({ query }, { contextValue })
    const text = body.kind === 'single' ? JSON.stringify(body.singleResult) : ''
    if (text.includes('"errors"')) throw new Error(text.slice(0, 1000))
    return text
  }
  console.log(`${machines} machines; ms: p50, p95, CPU; statements; kB`)
  const readByHand = async () => JSON.stringify(await byHand(counted, nowMs))
  const asked = Object.entries(queries).map(([name, query]) => [name, () => ask(query)] as const)
  for (const [name, run] of [...asked, ['reference by hand', readByHand] as const]) {
    if (!name.includes(only)) continue
    for (let i = 0; i < 3; i++) await run()
    const times: number[] = []
    let text = ''
    statements = 0
    const cpu = process.cpuUsage()
    for (let i = 0; i < repeats; i++) {
      const startedMs = performance.now()
      text = await run()
      times.push(performance.now() - startedMs)
    }
    const { user, system } = process.cpuUsage(cpu)
    times.sort((a, b) => a - b)
    const at = (share: number) => (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(0)
    const cpuMs = ((user + system) / 1000 / repeats).toFixed(0)
    console.log(
      `${name.padEnd(50)} ${at(0.5)}, ${at(0.95)}, ${cpuMs}; ${statements / repeats}; ${(text.length / 1000).toFixed(0)}`,
    )
  }
  console.log(`load of the machine ${loadavg()[0]?.toFixed(1)}`)
} finally {
  await database.drop()
}
process.exit(0)
