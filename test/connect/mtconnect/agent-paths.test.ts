import { assert } from 'chai'
import { currentPath, devicesPath, samplePath } from '../../../connect/mtconnect/agent-paths.ts'
import { readDevices } from '../../../ingest/shdr/devices.ts'

describe('requests to MTConnect agents', () => {
  const devices = readDevices(
    `<MTConnectDevices><Devices><Device name="Mill" uuid="m 1"/><Device name='La"the'/><Device name="O'&quot;"/></Devices></MTConnectDevices>`,
  )
  const [mill, lathe, odd] = devices

  it('Only a selection of devices needs a path, by uuid if the device has one', () => {
    assert.isNull(devicesPath(devices, devices))
    assert.isNull(devicesPath([], devices))
    assert.equal(
      devicesPath(mill && lathe ? [mill, lathe] : [], devices),
      `//Device[@uuid="m 1"]|//Device[@name='La"the']`,
    )
  })

  it('A name that XPath cannot quote, or too many devices, are not selected', () => {
    assert.isNull(devicesPath(odd ? [odd] : [], devices))
    const many = Array.from({ length: 500 }, (_, i) => ({ name: '', uuid: `device ${i}` }))
    assert.isNull(devicesPath(many.slice(1), many))
  })

  it('Paths have the parameters of the agent, with large sequences in full', () => {
    const stream = { intervalMs: 500, heartbeatMs: 10_000 }
    assert.equal(currentPath(null), '/current')
    assert.equal(currentPath('//Device[@name="a&b"]'), '/current?path=%2F%2FDevice%5B%40name%3D%22a%26b%22%5D')
    assert.equal(
      samplePath({ from: 9_007_199_254_740_993n, count: 100, stream }, null),
      '/sample?from=9007199254740993&interval=500&heartbeat=10000&count=100',
    )
    assert.equal(samplePath({ from: 1, count: 1, stream: null }, 'x'), '/sample?from=1&count=1&path=x')
  })
})
