import { assert } from 'chai'
import { readDevices } from '../../../ingest/shdr/devices.ts'
import { XmlError } from '../../../shared/xml/scan-xml.ts'

describe('devices of a probe document', () => {
  const probe = (content: string) => `<MTConnectDevices><Devices>${content}</Devices></MTConnectDevices>`

  it('A document has at most 1,000 devices', () => {
    const devices = (count: number) => probe('<Device name="a"/>'.repeat(count))
    assert.lengthOf(readDevices(devices(1_000)), 1_000)
    assert.throws(() => readDevices(devices(1_001)), XmlError, 'The probe document has more than 1000 devices')
  })

  it('A document has at most 20,000 data items, those of all devices together', () => {
    const items = (count: number) => `<Device name="a">${'<DataItem id="x"/>'.repeat(count)}</Device>`
    assert.lengthOf(readDevices(probe(items(10_000) + items(10_000))), 2)
    const tooMany = probe(items(10_000) + items(10_001))
    assert.throws(() => readDevices(tooMany), XmlError, 'The probe document has more than 20000 data items')
  })
})
