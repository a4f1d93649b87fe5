import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hashKey } from '../../../../api/auth/key.ts'
import { startService, type TestService, testKey } from '../../../support/service.ts'

const nowMs = Date.parse('2026-03-03T12:00:00.000Z')
const otherKey = 'a-key-of-the-other-company-in-these-tests'
const at = (text: string) => `2026-03-03T${text}.000Z`

/** Response that a client receives. */
interface Answer {
  readonly status: number
  readonly contentType: string | null
  readonly body: {
    readonly data?: Readonly<Record<string, unknown>> | null
    readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[]
  }
}

interface Asking {
  readonly variables?: object
  readonly key?: string | null
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
}

describe('GraphQL queries', function () {
  let service: TestService
  const ids = {
    schedule: randomUUID(),
    mill: randomUUID(),
    lathe: randomUUID(),
    old: randomUUID(),
    waiting: randomUUID(),
  }
  const refs: Record<string, number> = {}

  const ask = async (query: string, { variables, key = testKey, path = '/graphql', headers }: Asking = {}) => {
    const response = await fetch(service.url + path, {
      method: 'POST',
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        'content-type': 'application/json; charset=utf-8',
        ...headers,
      },
      body: JSON.stringify({ query, ...(variables && { variables }) }),
    })
    const body: Answer['body'] = JSON.parse(await response.text())
    return { status: response.status, contentType: response.headers.get('content-type'), body } satisfies Answer
  }
  const data = async (query: string, variables?: object) => {
    const { body } = await ask(query, variables ? { variables } : {})
    expect(body.errors, JSON.stringify(body.errors)).to.equal(undefined)
    return body.data
  }
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await service.call(method, path, body)
    expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).to.be.below(300)
    return answer.body
  }

  before(async () => {
    service = await startService({ nowMs })
    await service.commands.submit(
      'company.create',
      { companyName: 'Second', adminKeyHash: hashKey(otherKey) },
      { companyId: null },
    )
    const early = { id: 'early', name: 'Early', start: '06:00', end: '14:00', days: [1, 2] }
    await call('PUT', `/schedules/${ids.schedule}`, {
      name: 'Two shifts',
      versions: [
        { effectiveFrom: null, shifts: [early, { id: 'late', name: 'Late', start: '14:00', end: '22:00', days: [1] }] },
        { effectiveFrom: '2026-01-01', shifts: [{ ...early, name: 'Morning' }] },
      ],
      exceptions: [{ date: '2026-12-24', shifts: [{ ...early, days: undefined, end: '12:00', optional: true }] }],
    })
    await call('PUT', `/machines/${ids.mill}`, {
      name: 'Mill',
      make: 'Haas',
      erpMachineId: 'M1',
      scheduleId: ids.schedule,
      commissionedAt: at('00:00:00'),
    })
    await call('PUT', `/machines/${ids.lathe}`, { name: 'Lathe', erpMachineId: 'M2', commissionedAt: at('00:00:00') })
    await call('PUT', `/machines/${ids.old}`, { name: 'Old', decommissionedAt: '2025-01-01T00:00:00Z' })
    const listed = await call('GET', '/machines?includeDecommissioned=true')
    const machines: { id: string; machineRef: number }[] = JSON.parse(JSON.stringify(listed))
    for (const { id, machineRef } of machines) refs[id] = machineRef
    const reason = JSON.parse(
      JSON.stringify(await call('POST', '/downtime-reasons', { name: 'Waiting', color: '#ff0000' })),
    )
    await call('POST', '/annotations', {
      machineId: ids.mill,
      reasonId: reason.id,
      startAt: at('11:30:00'),
      note: 'for material',
    })
    await call('POST', '/annotations', {
      machineId: ids.lathe,
      reasonId: reason.id,
      startAt: at('09:00:00'),
      endAt: at('09:10:00'),
      note: '',
    })
    await call('POST', '/erp/jobdispatch/start', {
      erpJobOperationRunId: 'RUN-1',
      erpMachineId: 'M1',
      jobName: 'J-1',
      operationName: 'Op 10',
      partName: 'Shaft',
      startAt: at('08:00:00'),
      startInSetup: true,
    })
    await call('POST', '/erp/jobdispatch/production', { erpJobOperationRunId: 'RUN-1', productionAt: at('08:30:00') })
    await call('POST', '/erp/jobdispatch/start', {
      erpJobOperationRunId: 'RUN-2',
      erpMachineId: 'M1',
      jobName: 'J-2',
      startAt: at('10:00:00'),
    })
    const type = JSON.parse(
      JSON.stringify(await call('POST', '/part-adjustment-types', { name: 'Burr', reject_behavior: 'scrap' })),
    )
    await call('POST', '/part-adjustment', {
      machine_id: ids.mill,
      adjustmenttime: at('09:00:00'),
      category_id: type.id,
      scrapcount: 3,
      count: -3,
    })
    await call('PUT', '/operators/ann', { name: 'Ann' })
    await call('POST', '/operator-runs', { machineId: ids.mill, operatorId: 'ann', startAt: at('08:00:00') })
    const sample = (machineId: string, time: string, key: string, type: string, value: string, more = {}) => ({
      machineId,
      timestamp: at(time),
      key,
      type,
      value,
      ...more,
    })
    const alarm = { category: 'CONDITION', nativeCode: 'E7', message: 'Coolant low' }
    await call('POST', '/ingest/samples', [
      sample(ids.mill, '08:00:00', 'execution', 'EXECUTION', 'READY'),
      sample(ids.mill, '10:00:00', 'execution', 'EXECUTION', 'ACTIVE'),
      sample(ids.mill, '10:00:00', 'Srpm', 'ROTARY_VELOCITY', '1200', { category: 'SAMPLE', subtype: 'ACTUAL' }),
      sample(ids.mill, '11:00:00', 'Srpm', 'ROTARY_VELOCITY', '900', { category: 'SAMPLE', subtype: 'ACTUAL' }),
      sample(ids.mill, '11:45:00', 'execution', 'EXECUTION', 'INTERRUPTED'),
      sample(ids.mill, '11:48:00', 'execution', 'EXECUTION', 'INTERRUPTED'),
      sample(ids.lathe, '10:10:00', 'other_cond', 'SYSTEM', 'FAULT', {
        ...alarm,
        nativeCode: 'E8',
        message: 'Door open',
      }),
      sample(ids.lathe, '10:15:00', 'other_cond', 'SYSTEM', 'NORMAL', { category: 'CONDITION' }),
      sample(ids.mill, '11:50:00', 'system_cond', 'SYSTEM', 'WARNING', alarm),
      sample(ids.lathe, '11:00:00', 'execution', 'EXECUTION', 'ACTIVE'),
    ])
    await service.settled()
  })
  after(() => service.stop())

  it('The filter decommissionedAt _is_null returns exactly the machines in service', async () => {
    const found = await data('query { machines(where: {decommissionedAt: {_is_null: true}}) { name machineRef } }')
    expect(found).to.deep.equal({
      machines: [
        { name: 'Mill', machineRef: refs[ids.mill] },
        { name: 'Lathe', machineRef: refs[ids.lathe] },
      ],
    })
  })

  it('A GraphQL query accepts its filter as a variable and sorts its rows', async () => {
    const query = `query Machines($where: MachineTP_bool_exp) { machines(where: $where, order_by: {name: asc})
      { machineId machineRef name make model decommissionedAt } }`
    const found = await data(query, { where: { name: { _in: ['Mill', 'Old'] } } })
    expect(found?.['machines']).to.deep.equal([
      {
        machineId: ids.mill,
        machineRef: refs[ids.mill],
        name: 'Mill',
        make: 'Haas',
        model: null,
        decommissionedAt: null,
      },
      {
        machineId: ids.old,
        machineRef: refs[ids.old],
        name: 'Old',
        make: null,
        model: null,
        decommissionedAt: '2025-01-01T00:00:00.000Z',
      },
    ])
    expect(await data(query)).to.have.nested.property('machines.length', 3)
  })

  it('Relations of a machine lead to its current alarms, states and annotations', async () => {
    const found = await data(`query { machines(where: {annotations: {endAt: {_is_null: true}}}) {
      name currentAlarms { startAt nativeCode label description state alarmId }
      currentStates(where: {metricKey: {_eq: "MasterExecution"}}) { metricKey value }
      annotations(where: {endAt: {_is_null: true}}) { annotationType { name } startAt } } }`)
    const [machine] = JSON.parse(JSON.stringify(found?.['machines']))
    expect(machine.currentAlarms[0].alarmId).to.be.a('number')
    delete machine.currentAlarms[0].alarmId
    expect(found?.['machines']).to.have.length(1)
    expect(machine).to.deep.equal({
      name: 'Mill',
      currentAlarms: [
        {
          startAt: at('11:50:00'),
          nativeCode: 'E7',
          label: 'Coolant low',
          description: 'Coolant low',
          state: 'WARNING',
        },
      ],
      currentStates: [{ metricKey: 'MasterExecution', value: 'STOPPED' }],
      annotations: [{ annotationType: { name: 'Waiting' }, startAt: at('11:30:00') }],
    })
  })

  it('The runs of a machine are returned with their activities', async () => {
    const query = `query ($ref: Int) { activitySets(where: {machine: {machineRef: {_eq: $ref}}, closedAt: {_is_null: true}})
      { erpJobOperationRunId closedAt operation { name } machine { name } activities { activityType startAt endAt } } }`
    expect(await data(query, { ref: refs[ids.mill] })).to.deep.equal({
      activitySets: [
        {
          erpJobOperationRunId: 'RUN-2',
          closedAt: null,
          operation: { name: 'J-2' },
          machine: { name: 'Mill' },
          activities: [{ activityType: 'production', startAt: at('10:00:00'), endAt: null }],
        },
      ],
    })
    const all = await data(`{ activitySets(order_by: {openedAt: asc}) { closedAt operation { name }
      activities(order_by: {startAt: asc}) { activityType startAt endAt } } }`)
    expect(all?.['activitySets']).to.have.deep.property('0', {
      closedAt: at('10:00:00'),
      operation: { name: 'J-1 / Op 10 / Shaft' },
      activities: [
        { activityType: 'setup', startAt: at('08:00:00'), endAt: at('08:30:00') },
        { activityType: 'production', startAt: at('08:30:00'), endAt: at('10:00:00') },
      ],
    })
  })

  it('Rejects are returned with the run in which they occurred, and operator runs with their operator', async () => {
    const found = await data(`{
      rejects { count scrapCount rejectedAt rejectReason { name } machine { name } activitySet { erpJobOperationRunId } }
      operatorRuns { operator { operatorId name } startAt endAt machine { name } } }`)
    expect(found).to.deep.equal({
      rejects: [
        {
          count: -3,
          scrapCount: 3,
          rejectedAt: at('09:00:00'),
          rejectReason: { name: 'Burr' },
          machine: { name: 'Mill' },
          activitySet: { erpJobOperationRunId: 'RUN-1' },
        },
      ],
      operatorRuns: [
        {
          operator: { operatorId: 'ann', name: 'Ann' },
          startAt: at('08:00:00'),
          endAt: null,
          machine: { name: 'Mill' },
        },
      ],
    })
  })

  it('Functions of a time range return the states, quantities and alarms in the range', async () => {
    const window = `windowStartAt: "${at('09:00:00')}", windowEndAt: "${at('12:00:00')}"`
    const found = await data(`query {
      stateIntervals(args: {machineRef: ${refs[ids.mill]}, metricKey: "execution", ${window}}) { startAt endAt value }
      made: stateIntervals(args: {machineRef: ${refs[ids.mill]}, metricKey: "MasterExecution", ${window}}) { startAt value }
      inCycle: stateIntervals(args: {machineRef: ${refs[ids.mill]}, metricKey: "inCycle", ${window}}) { startAt endAt value }
      status: stateIntervals(args: {machineRef: ${refs[ids.mill]}, metricKey: "status", ${window}}) { startAt endAt value }
      quantities(args: {machineRef: ${refs[ids.mill]}, metricKey: "Srpm", ${window}}) { at value }
      alarmIntervals(args: {machineRef: ${refs[ids.mill]}, ${window}}) { startAt endAt nativeCode state description } }`)
    expect(found).to.deep.equal({
      stateIntervals: [
        { startAt: at('09:00:00'), endAt: at('10:00:00'), value: 'READY' },
        { startAt: at('10:00:00'), endAt: at('11:45:00'), value: 'ACTIVE' },
        { startAt: at('11:45:00'), endAt: at('12:00:00'), value: 'INTERRUPTED' },
      ],
      made: [
        { startAt: at('09:00:00'), value: 'STOPPED' },
        { startAt: at('10:00:00'), value: 'ACTIVE' },
        { startAt: at('11:45:00'), value: 'STOPPED' },
      ],
      inCycle: [
        { startAt: at('09:00:00'), endAt: at('10:00:00'), value: 'false' },
        { startAt: at('10:00:00'), endAt: at('11:45:00'), value: 'true' },
        { startAt: at('11:45:00'), endAt: at('12:00:00'), value: 'false' },
      ],
      status: [
        { startAt: at('09:00:00'), endAt: at('10:00:00'), value: 'INACTIVE' },
        { startAt: at('10:00:00'), endAt: at('11:45:00'), value: 'ACTIVE' },
        { startAt: at('11:45:00'), endAt: at('12:00:00'), value: 'INACTIVE' },
      ],
      quantities: [
        { at: at('10:00:00'), value: 1200 },
        { at: at('11:00:00'), value: 900 },
      ],
      alarmIntervals: [
        {
          startAt: at('11:50:00'),
          endAt: at('12:00:00'),
          nativeCode: 'E7',
          state: 'WARNING',
          description: 'Coolant low',
        },
      ],
    })
  })

  it('Past alarms are returned, and samples are returned as they were sent', async () => {
    const window = `windowStartAt: "${at('11:00:00')}", windowEndAt: "${at('12:00:00')}"`
    const found = await data(`query {
      alarms(where: {startAt: {_gte: "${at('09:30:00')}"}}, order_by: {startAt: desc}) {
        startAt endAt nativeCode label description state metricKey machine { name } }
      early: alarms(where: {_and: [{startAt: {_gt: "${at('09:30:00')}"}}, {startAt: {_lte: "${at('11:00:00')}"}}]}) { alarmId nativeCode }
      machines(where: {alarms: {state: {_eq: "FAULT"}}}) { name alarms_aggregate { aggregate { count } } }
      alarms_by_pk(machineRef: ${refs[ids.lathe]}, metricKey: "other_cond", nativeCode: "E8", state: "FAULT", startAt: "${at('10:10:00')}") { endAt }
      samples(args: {machineRef: ${refs[ids.mill]}, metricKey: "system_cond", ${window}}) { at value type subtype category nativeCode message } }`)
    const [early] = JSON.parse(JSON.stringify(found?.['early']))
    expect(early.alarmId).to.be.a('number')
    expect(found).to.deep.equal({
      alarms: [
        {
          startAt: at('11:50:00'),
          endAt: null,
          nativeCode: 'E7',
          label: 'Coolant low',
          description: 'Coolant low',
          state: 'WARNING',
          metricKey: 'system_cond',
          machine: { name: 'Mill' },
        },
        {
          startAt: at('10:10:00'),
          endAt: at('10:15:00'),
          nativeCode: 'E8',
          label: 'Door open',
          description: 'Door open',
          state: 'FAULT',
          metricKey: 'other_cond',
          machine: { name: 'Lathe' },
        },
      ],
      early: [{ alarmId: early.alarmId, nativeCode: 'E8' }],
      machines: [{ name: 'Lathe', alarms_aggregate: { aggregate: { count: 1 } } }],
      alarms_by_pk: { endAt: at('10:15:00') },
      samples: [
        {
          at: at('11:50:00'),
          value: 'WARNING',
          type: 'SYSTEM',
          subtype: '',
          category: 'CONDITION',
          nativeCode: 'E7',
          message: 'Coolant low',
        },
      ],
    })
  })

  it('Shifts have the name in their newest version, and the times of all versions', async () => {
    const found = await data(`{
      machines(where: {name: {_eq: "Mill"}}) { schedule { name shifts(order_by: {name: asc}) { shiftId name optional } } }
      schedules { machines { name } }
      shifts(where: {shiftId: {_eq: "early"}}) { name schedule { name }
        shiftTimes(order_by: [{effectiveFrom: desc_nulls_last}, {exceptionDate: asc_nulls_first}, {day: asc}]) { effectiveFrom exceptionDate day startTime endTime } } }`)
    const regular = { startTime: '06:00', endTime: '14:00', exceptionDate: null }
    expect(found).to.deep.equal({
      machines: [
        {
          schedule: {
            name: 'Two shifts',
            shifts: [
              { shiftId: 'late', name: 'Late', optional: false },
              { shiftId: 'early', name: 'Morning', optional: false },
            ],
          },
        },
      ],
      schedules: [{ machines: [{ name: 'Mill' }] }],
      shifts: [
        {
          name: 'Morning',
          schedule: { name: 'Two shifts' },
          shiftTimes: [
            { ...regular, effectiveFrom: '2026-01-01', day: 1 },
            { ...regular, effectiveFrom: '2026-01-01', day: 2 },
            { ...regular, effectiveFrom: null, day: 1 },
            { ...regular, effectiveFrom: null, day: 2 },
            { ...regular, effectiveFrom: null, exceptionDate: '2026-12-24', day: null, endTime: '12:00' },
          ],
        },
      ],
    })
  })

  it('GraphQL reports equal those of REST, as groups and as flat rows', async () => {
    const body = { start: at('08:00:00'), end: at('12:00:00') }
    const range = `start: "${body.start}", end: "${body.end}"`
    const rest = async (path: string, more: object) =>
      JSON.parse(JSON.stringify(await call('POST', `/reports/${path}`, { ...body, ...more })))
    const production = ['totalParts', 'timeInCycle', 'oee', 'minStartTime']
    const cases = [
      ['production', { data: production.map(metric => ({ metric })) }, production, ['machine', 'jobOperation']],
      [
        'downtime',
        { filter: { machine: [ids.mill, ids.lathe] } },
        ['downtimeMs', 'recordCount'],
        ['reason', 'machine'],
      ],
      ['quality', {}, ['rejectCount', 'recordCount'], ['machine', 'reason']],
      [
        'alarm',
        {
          data: ['durationMs', 'minStartTime', 'recordCount'].map(metric => ({ metric })),
          reject: { state: ['WARNING'] },
        },
        ['durationMs', 'minStartTime', 'recordCount'],
        ['nativeCode', 'hour'],
      ],
    ] as const
    for (const [report, more, values, groups] of cases) {
      const given = { ...more, groupBy: groups.map(group => ({ group })) }
      // In the schema language, names of metrics, groupings and states have no quotes.
      const args = JSON.stringify(given)
        .replace(/"(\w+)":/g, '$1: ')
        .replace(/(metric|group): "(\w+)"/g, '$1: $2')
        .replace('"WARNING"', 'WARNING')
        .slice(1, -1)
      const figures = `{ ${values.join(' ')} }`
      const entity = 'entity { type id name }'
      const rows = groups.flatMap(group => [group, `${group}Id`]).concat(values)
      const found = await data(`{
        nested: ${report}Report(args: {${range}, ${args}}) { range { start end } aggregate ${figures}
          items { ${entity} aggregate ${figures} items { ${entity} aggregate ${figures} items { ${entity} } } } rows { ${values[0]} } }
        flat: ${report}Report(args: {${range}, ${args}, flatten: true}) { rows { ${rows.join(' ')} } items { ${entity} } } }`)
      const nested = await rest(report, given)
      const named = (items: typeof nested.items): unknown[] =>
        items.map((item: typeof nested) => ({
          entity: { ...item.entity, name: nested.entities[item.entity.type][item.entity.id].name ?? null },
          aggregate: item.aggregate,
          items: named(item.items ?? []),
        }))
      expect(found?.['nested'], report).to.deep.equal({
        range: nested.range,
        aggregate: nested.aggregate,
        items: named(nested.items),
        rows: [],
      })
      expect(nested.items, report).to.not.have.length(0)
      const flat = await rest(report, { ...given, flatten: true })
      const picked = flat.items.map((row: Record<string, unknown>) =>
        Object.fromEntries(rows.map(name => [name, row[name]])),
      )
      expect(found?.['flat'], report).to.deep.equal({ rows: picked, items: [] })
    }
    const { body: refused } = await ask(
      '{ downtimeReport(args: {startDay: "2026-03-03", endDay: "2026-03-02"}) { range { start } } }',
    )
    expect(refused.errors?.[0]).to.deep.include({ message: 'Validation Error: StartDay must not be after endDay' })
    expect(refused.errors?.[0]?.extensions).to.deep.equal({
      code: 'validation-failed',
      errors: [{ field: 'startDay', code: 'InvalidRange', message: 'StartDay must not be after endDay' }],
    })
  })

  it('Metrics and current states of every key are returned', async () => {
    const found =
      await data(`{ Machine(where: {name: {_eq: "Mill"}}) { name __typename metrics(order_by: {metricKey: asc})
      { metricKey type subtype category } currentStates(where: {metricKey: {_in: ["execution", "status"]}}, order_by: {metricKey: asc})
      { metricKey value startAt } } Company { name __typename } }`)
    expect(found).to.deep.equal({
      Machine: [
        {
          name: 'Mill',
          __typename: 'MachineTP',
          metrics: [
            { metricKey: 'Srpm', type: 'ROTARY_VELOCITY', subtype: 'ACTUAL', category: 'SAMPLE' },
            { metricKey: 'execution', type: 'EXECUTION', subtype: '', category: 'EVENT' },
            { metricKey: 'system_cond', type: 'SYSTEM', subtype: '', category: 'CONDITION' },
          ],
          currentStates: [
            { metricKey: 'execution', value: 'INTERRUPTED', startAt: at('11:45:00') },
            { metricKey: 'status', value: 'INACTIVE', startAt: at('11:45:00') },
          ],
        },
      ],
      Company: [{ name: 'My plant', __typename: 'Company' }],
    })
  })

  it('Aggregates count and sum rows, and rows can be paged and sorted by related fields', async () => {
    const found = await data(`{
      annotations_aggregate { aggregate { count max { startAt } } nodes { note } }
      machines(order_by: {machineRef: asc}, limit: 2) { annotations_aggregate(where: {note: {_eq: ""}}) { aggregate { count } } }
      sorted: annotations(order_by: [{machine: {name: asc}}]) { machine { name } }
      rejects_aggregate { aggregate { sum { scrapCount } avg { count } } }
      machines_by_pk(machineId: "${ids.lathe}") { name }
      none: machines_by_pk(machineId: "${randomUUID()}") { name } }`)
    expect(found).to.deep.equal({
      annotations_aggregate: {
        aggregate: { count: 2, max: { startAt: at('11:30:00') } },
        nodes: [{ note: '' }, { note: 'for material' }],
      },
      machines: [
        { annotations_aggregate: { aggregate: { count: 0 } } },
        { annotations_aggregate: { aggregate: { count: 1 } } },
      ],
      sorted: [{ machine: { name: 'Lathe' } }, { machine: { name: 'Mill' } }],
      rejects_aggregate: { aggregate: { sum: { scrapCount: 3 }, avg: { count: -3 } } },
      machines_by_pk: { name: 'Lathe' },
      none: null,
    })
  })

  it('Every query of the GraphQL guide succeeds', async () => {
    const guide = readFileSync(new URL('../../../../docs/graphql.md', import.meta.url), 'utf8')
    const examples = [...guide.matchAll(/```graphql\n([\s\S]*?)```/g)].map(([, example = '']) => example)
    expect(examples.length).to.be.above(4)
    const queries = examples.filter(example => !example.startsWith('subscription'))
    for (const example of queries) await data(example, { ref: refs[ids.mill] })
  })

  it('Queries succeed at every GraphQL path, by POST and by GET', async () => {
    for (const path of ['/graphql', '/v1/graphql', '/proxy/graphql']) {
      const { status, body } = await ask('{ Company { name } }', { path })
      expect([status, body]).to.deep.equal([200, { data: { Company: [{ name: 'My plant' }] } }])
    }
    const query =
      'query A { Company { companyId } } query B($name: String) { machines(where: {name: {_eq: $name}}) { name } }'
    const given = new URLSearchParams({ query, operationName: 'B', variables: '{"name": "Mill"}' })
    for (const path of ['/graphql', '/v1/graphql', '/proxy/graphql']) {
      const response = await fetch(`${service.url}${path}?${given.toString()}`, {
        headers: { authorization: `Bearer ${testKey}` },
      })
      expect(await response.json()).to.deep.equal({ data: { machines: [{ name: 'Mill' }] } })
    }
  })

  it('An empty operation name counts as no operation name', async () => {
    const query = '{ Company { name } }'
    const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' }
    const asked = new URLSearchParams({ query, operationName: '' })
    for (const response of [
      await fetch(`${service.url}/graphql?${asked.toString()}`, { headers }),
      await fetch(`${service.url}/graphql`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ query, operationName: '', variables: {} }),
      }),
    ])
      expect(await response.json()).to.deep.equal({ data: { Company: [{ name: 'My plant' }] } })
  })

  it('Fields of a GraphQL response have the order of the request', async () => {
    const query = `query ($no: Boolean!) { z: Company { name } a: machines(where: {name: {_eq: "Mill"}}) {
      make __typename ...F currentStates(where: {metricKey: {_eq: "execution"}}) { value b: metricKey type } n: name }
      machines_aggregate { nodes { name @skip(if: $no) } aggregate { max { name make } count } } }
      fragment F on MachineTP { y: name machineRef ... on MachineTP { model } make }`
    const found = await data(query, { no: true })
    const mill = {
      make: 'Haas',
      __typename: 'MachineTP',
      y: 'Mill',
      machineRef: refs[ids.mill],
      model: null,
      currentStates: [{ value: 'INTERRUPTED', b: 'execution', type: 'EXECUTION' }],
      n: 'Mill',
    }
    expect(Object.keys(found ?? {})).to.deep.equal(['z', 'a', 'machines_aggregate'])
    expect(JSON.stringify(found?.['a'])).to.equal(JSON.stringify([mill]))
    expect(JSON.stringify(found?.['machines_aggregate'])).to.match(
      /^\{"nodes":\[\{\},\{\},\{\}\],"aggregate":\{"max":\{"name":"\w+","make":"Haas"\},"count":3\}\}$/,
    )
  })

  it('Derived states are equal for any number of requested rows and fields', async () => {
    const of = (args: string, fields: string) =>
      `currentStates(where: {machine: {name: {_eq: "Mill"}}, metricKey: {_in: ["status", "inCycle", "MasterExecution"]}},
        order_by: {metricKey: asc} ${args}) { metricKey value ${fields} }`
    const found = await data(`{ all: ${of('', '')} since: ${of('', 'startAt')} first: ${of('limit: 1', '')}
      firstSince: ${of('limit: 1', 'startAt')} last: ${of('limit: 5, offset: 2', '')}
      machines(where: {name: {_eq: "Mill"}}) { currentStates(where: {metricKey: {_like: "%atus"}}, limit: 1) { metricKey value } } }`)
    const states = [
      { metricKey: 'MasterExecution', value: 'STOPPED' },
      { metricKey: 'inCycle', value: 'false' },
      { metricKey: 'status', value: 'INACTIVE' },
    ]
    const since = states.map(({ metricKey, value }) => ({ metricKey, value, startAt: at('11:45:00') }))
    expect(found).to.deep.equal({
      all: states,
      since,
      first: states.slice(0, 1),
      firstSince: since.slice(0, 1),
      last: states.slice(2),
      machines: [{ currentStates: states.slice(2) }],
    })
  })

  it('A GraphQL query returns no rows of another company', async () => {
    const query = `{ machines { name } annotations { note } activitySets { closedAt } rejects { count } currentStates { value }
      currentAlarms { label } metrics { metricKey } operatorRuns { startAt } activities { startAt } Company { name }
      stateIntervals(args: {machineRef: ${refs[ids.mill]}, metricKey: "execution", windowStartAt: "${at('00:00:00')}",
        windowEndAt: "${at('12:00:00')}"}) { value } }`
    const { body } = await ask(query, { key: otherKey })
    const { Company, ...rest } = body.data ?? {}
    expect(Company).to.deep.equal([{ name: 'Second' }])
    for (const [name, rows] of Object.entries(rest)) expect(rows, name).to.deep.equal([])
  })

  it('A GraphQL query needs a valid token, and a cookie does not count as one', async () => {
    const refused = await ask('{ Company { name } }', { key: 'wrong' })
    expect(refused.status).to.equal(200)
    expect(refused.body.errors?.[0]?.extensions.code).to.equal('invalid-jwt')
    const typed = await ask('{ Company { name } }', {
      key: null,
      headers: { accept: 'application/graphql-response+json', cookie: 'takt_session=x' },
    })
    expect(typed.status).to.equal(401)
    expect(typed.contentType).to.match(/^application\/graphql-response\+json/)
    expect(typed.body.errors?.[0]?.extensions.code).to.equal('invalid-jwt')
  })

  it('Each invalid GraphQL query fails with an error code', async () => {
    for (const [query, code] of [
      ['{ nothing }', 'validation-failed'],
      ['{ machines { name ', 'validation-failed'],
      ['{ machines(where: {machineId: {_eq: "x"}}) { name } }', 'validation-failed'],
      ['{ machines(where: {name: {_eq: null}}) { name } }', 'validation-failed'],
      ['{ machines(limit: -1) { name } }', 'validation-failed'],
      ['{ machines(distinct_on: [make], order_by: {name: asc}) { name } }', 'validation-failed'],
      [`{ ${Array.from({ length: 60 }, (_, i) => `a${i}: machines { name }`).join(' ')} }`, 'node-limit-exceeded'],
      [`{ machines ${'{ annotations { machine '.repeat(6)}{ name } ${'} }'.repeat(6)} }`, 'depth-limit-exceeded'],
    ] as const) {
      const { status, body } = await ask(query)
      expect([status, body.errors?.[0]?.extensions.code], query).to.deep.equal([200, code])
    }
  })

  it('A key is listed among the metrics as soon as its first sample is accepted', async () => {
    const machineId = randomUUID()
    await call('PUT', `/machines/${machineId}`, { name: 'Newest' })
    for (let i = 0; i < 10; i++) {
      const timestamp = new Date(nowMs).toISOString()
      await call('POST', '/ingest/samples', [{ machineId, timestamp, key: `k${i}`, type: 'LOAD', value: '1' }])
      const where = `{ machine: { machineId: { _eq: "${machineId}" } }, metricKey: { _eq: "k${i}" } }`
      expect(await data(`{ metrics(where: ${where}) { metricKey } }`)).to.deep.equal({
        metrics: [{ metricKey: `k${i}` }],
      })
    }
  })
})
