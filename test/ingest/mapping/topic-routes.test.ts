import { strict as assert } from 'node:assert'
import { expect } from 'chai'
import { TopicRoutes } from '../../../ingest/mapping/topic-routes.ts'
import {
  defaultConnectorMachine,
  defaultConnectorOptions,
  type MappingRule,
} from '../../../schema/records/connector.ts'
import { usedHeapMb } from '../../support/heap.ts'
import { machineIds } from './random-connector.ts'

describe('routes of topics', () => {
  it('The rules of a topic are those that match, up to the first one without equals', () => {
    const routes = routesOf([
      { from: 'other/#', key: 'a', type: 'A' },
      { from: 'plant/#', key: 'b', type: 'B', equals: '1' },
      { from: '#', key: 'c', type: 'C' },
      { from: 'plant/#', key: 'd', type: 'D', equals: '2' },
    ])
    assert.deepEqual(
      routes.of('plant/1').rules.map(({ rule }) => rule.key),
      ['b', 'c'],
    )
  })

  it('Names are those of the rule and the machine, however many were computed before', () => {
    const routes = routesOf([{ from: '#', key: 'parts', type: 'PART_COUNT', subtype: 'GOOD' }])
    const [rule] = routes.of('plant/1').rules
    assert.ok(rule)
    const expected = (machineId: string) => {
      const names = { machineId, key: 'parts', type: 'PART_COUNT', subtype: 'GOOD' }
      return { id: JSON.stringify(Object.values(names)), names }
    }
    for (let index = 0; index < 50_000; index++) {
      const machineId = `machine ${index % 22_000}`
      const named = routes.namesOf(rule, machineId)
      if (named?.id !== expected(machineId).id || named.names.machineId !== machineId)
        assert.deepEqual(named, expected(machineId), `name ${index}`)
    }
    assert.deepEqual(routes.namesOf(rule, 'machine 1'), expected('machine 1'))
  })

  it('A rule without a key has no names', () => {
    const routes = routesOf([{ from: '#' }])
    const [rule] = routes.of('plant/1').rules
    assert.ok(rule)
    assert.equal(routes.namesOf(rule, machineIds[0]), null)
  })

  it('A thousand rules for each of 3,000 topics need less than 30 MiB', () => {
    const routes = routesOf(
      Array.from({ length: 1_000 }, (_, index) => ({ from: '#', equals: `${index}`, key: `key ${index}`, type: 'X' })),
    )
    const beforeMb = usedHeapMb()
    for (let topic = 0; topic < 3_000; topic++) assert.equal(routes.of(`plant/${topic}`).rules.length, 1_000)
    expect(usedHeapMb() - beforeMb).to.be.below(30)
    assert.equal(routes.of('plant/1').rules.length, 1_000)
  })
})

function routesOf(rules: readonly MappingRule[]): TopicRoutes {
  const machine = { ...defaultConnectorMachine, source: '#', machineId: machineIds[0] }
  return new TopicRoutes({ rules, machines: [machine], options: defaultConnectorOptions })
}
