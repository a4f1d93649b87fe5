import { assert } from 'chai'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentDevice, AgentItem, AgentObservation } from '../../../demo/mtconnect-agent/agent-model.ts'
import { MtconnectAgent } from '../../../demo/mtconnect-agent/agent.ts'
import { defaultConnectorMachine } from '../../../schema/records/connector.ts'
import type { WireSample } from '../../../schema/topics.ts'
import { hasNist, nistFolder, nistSamples } from '../../oracle/nist.ts'
import { noteSkipped } from '../../support/skipped.ts'
import { millId } from './scenario.ts'
import { RunningConnector } from './running-connector.ts'

/** Number of observations after which the connection is cut. */
const batch = 15_000

describe('recorded days through an MTConnect agent', () => {
  before(function () {
    if (hasNist()) return
    noteSkipped('recorded days through an MTConnect agent', `put the recordings into ${nistFolder}`)
    this.skip()
  })

  const names = hasNist()
    ? [...new Set(readdirSync(nistFolder).flatMap(file => /^\w+(?=-)/.exec(file)?.[0] ?? []))]
    : []
  for (const name of names)
    it(`The samples of ${name} equal those of the recording, although the connection is cut`, async () => {
      const device = deviceNamed(name)
      const byKey = new Map(device.items.map(item => [item.name ?? item.id, item]))
      const recorded = (nistSamples([name]).get(name) ?? []).filter(({ key }) => byKey.has(key))
      const agent = await MtconnectAgent.start({ devices: [device] })
      const start = agent.next
      const connector = new RunningConnector(agent.url, {
        machines: [{ ...defaultConnectorMachine, source: name, machineId: millId }],
        clock: Date.now,
        options: { sourceHeartbeatMs: 1_000 },
      })
      connector.start()
      for (let i = 0; i < recorded.length; i += batch) {
        agent.add(...recorded.slice(i, i + batch).map(sample => toObservation(sample, byKey)))
        if (i % (2 * batch) === 0) agent.cut()
        await connector.readAll(agent)
      }
      await connector.kill()
      await agent.close()
      const delivered = [...connector.log.values()].filter(({ sequence = -1 }) => sequence >= start)
      assert.equal(connector.totals.gaps + connector.totals.holes, 0)
      if (recorded.length > batch) assert.isAbove(connector.totals.reconnects, 0)
      assert.lengthOf(delivered, recorded.length)
      const differing = recorded.findIndex(
        (sample, i) => delivered[i]?.sequence !== start + i || comparable(delivered[i]) !== comparable(sample),
      )
      // An assertion for each observation would take much CPU time.
      if (differing >= 0)
        assert.deepEqual(delivered[differing], recorded[differing], `observation ${start + differing}`)
    })
})

/** The fields of a sample without its numbers, as text. */
function comparable(sample: WireSample | undefined): string {
  if (sample === undefined) return ''
  const { timestamp, key, type, subtype = '', category, value, nativeCode = '', message = '' } = sample
  const { nativeSeverity = '', qualifier = '' } = sample
  const text = String(value).trim()
  return JSON.stringify({
    timestamp,
    key,
    type,
    subtype,
    category,
    value: category === 'CONDITION' ? text.toUpperCase() : text,
    nativeCode,
    nativeSeverity,
    qualifier,
    message: message.trim(),
  })
}

function toObservation(sample: WireSample, byKey: ReadonlyMap<string, AgentItem>): AgentObservation {
  const { key, timestamp, value, category, nativeCode, nativeSeverity, qualifier, message } = sample
  const dataItemId = byKey.get(key)?.id ?? ''
  const text = String(value)
  if (category !== 'CONDITION') return { dataItemId, timestamp, value: text }
  const attributes = Object.entries({ nativeCode, nativeSeverity, qualifier }).filter(([, one]) => one !== '')
  return {
    dataItemId,
    timestamp,
    value: text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase(),
    attributes: Object.fromEntries(attributes.map(([field, one]) => [field, one ?? ''])),
    message: message ?? '',
  }
}

/** The device of the recorded probe document, with its text. */
function deviceNamed(name: string): AgentDevice {
  const xml = readFileSync(join(nistFolder, 'Devices.xml'), 'utf8')
  const element = [...xml.matchAll(/<Device\s[^]*?<[/]Device>/g)].map(([text]) => text)
  const own = element.find(text => attribute(text.slice(0, text.indexOf('>')), 'name') === name) ?? ''
  const items = [...own.matchAll(/<DataItem\s([^>]*)>/g)].map(([, attributes = '']) => itemOf(attributes))
  return { name, uuid: attribute(own, 'uuid') ?? '', items, xml: own }
}

function itemOf(attributes: string): AgentItem {
  const category = attribute(attributes, 'category')
  const name = attribute(attributes, 'name')
  const subType = attribute(attributes, 'subType')
  return {
    id: attribute(attributes, 'id') ?? '',
    ...(name !== null && { name }),
    ...(subType !== null && { subType }),
    type: attribute(attributes, 'type') ?? '',
    category: category === 'SAMPLE' || category === 'CONDITION' ? category : 'EVENT',
  }
}

function attribute(text: string, name: string): string | null {
  return new RegExp(`(?:^|\\s)${name}=["']([^"']*)["']`).exec(text)?.[1] ?? null
}
