import { expect } from 'chai'
import { ConnectorTrial } from '../../../connect/try/try-connector.ts'
import { toConnector } from '../../../processors/registrar/commands/connector.ts'

const nowMs = Date.parse('2026-11-23T09:00:00Z')
const machineId = '0d5a6a3e-5d0b-4f60-9a3c-1d2f7c0b8e11'
const other = '0d5a6a3e-5d0b-4f60-9a3c-1d2f7c0b8e22'

describe('trial of a connector', () => {
  it('Recorded lines of an adapter become samples; lines and keys without one are counted with an example', async () => {
    const machines = [{ source: 'Mill', machineId }]
    const rules = [{ from: 'DB10.W4', key: 'execution', type: 'EXECUTION', map: { 3: 'ACTIVE' } }]
    const input = { id: 's', name: 'Adapter', kind: 'shdr' as const, address: 'tcp://adapter:7878', machines, rules }
    const trial = new ConnectorTrial(toConnector(input, '', null), nowMs)
    const lines = ['2026-11-23T08:00:00Z|DB10.W4|3', '|DB10.W4|4', '2026-11-23T08:00:00Z|other|3', 'text', null]
    const samples: string[] = []
    for await (const { key, type, value, timestamp } of trial.lines(iterate(lines)))
      samples.push([key, type, value, timestamp].join(' '))
    expect(samples).to.deep.equal(['execution EXECUTION ACTIVE 2026-11-23T08:00:00.000000Z'])
    expect([...trial.skipped.byReason].map(([reason, { count }]) => [reason, count])).to.deep.include.members([
      ['not_shdr', 1],
      ['the device has no machine, or the key no rule', 1],
      ['the line is longer than 1 MiB', 1],
    ])
    expect(trial.skipped.total).to.equal(4)
  })

  it('Documents of an agent become samples; those that cannot be read are counted with an example', async () => {
    const header = '<Header instanceId="1" creationTime="2026-11-23T08:00:09Z" firstSequence="1" nextSequence="NEXT"/>'
    const probe = `<?xml version="1.0"?><MTConnectDevices>${header}<Devices><Device id="d" name="Mill" uuid="m"><DataItems>
      <DataItem id="x" name="execution" category="EVENT" type="EXECUTION"/></DataItems></Device></Devices></MTConnectDevices>`
    const values = (next: number, ...observations: string[]) =>
      `<m:MTConnectStreams xmlns:m="urn:m">${header.replaceAll('<', '<m:').replace('NEXT', String(next))}<m:Streams>
      <m:DeviceStream name="Mill" uuid="m"><m:ComponentStream component="Device"><m:Events>${observations.join('')}</m:Events>
      </m:ComponentStream></m:DeviceStream></m:Streams></m:MTConnectStreams>`
    const value = (sequence: number, text: string, time = `2026-11-23T08:00:0${sequence}Z`) =>
      `<m:Execution dataItemId="x" sequence="${sequence}" timestamp="${time}">${text}</m:Execution>`
    const machines = [
      { source: 'Mill', machineId },
      { source: 'Lathe', machineId: other },
    ]
    const input = { id: 'a', name: 'Agent', kind: 'mtconnect' as const, address: 'http://agent', machines }
    const trial = new ConnectorTrial(toConnector(input, '', null), nowMs)
    const recording = [
      probe,
      values(3, value(2, 'READY')),
      values(5, value(3, 'ACTIVE'), value(4, 'STOPPED', 'soon')),
      '<MTConnectStreams>&broken;</MTConnectStreams>',
      values(6, value(5, 'READY')),
      '<MTConnectStreams>',
    ]
    const samples: string[] = []
    for await (const { key, value: sent, timestamp } of trial.documents(recording.join('')))
      samples.push([key, sent, timestamp].join(' '))
    expect(samples).to.deep.equal([
      'execution READY 2026-11-23T08:00:02.000000Z',
      'execution ACTIVE 2026-11-23T08:00:03.000000Z',
      'execution READY 2026-11-23T08:00:05.000000Z',
    ])
    expect(
      [...trial.skipped.byReason].map(([reason, { count, example }]) => [
        reason.slice(0, 34),
        count,
        example.slice(0, 20),
      ]),
    ).to.deep.equal([
      ['the agent does not have the device', 1, 'Lathe'],
      ['the observation has no readable ti', 1, '<m:MTConnectStreams '],
      ['The XML is invalid at character 18', 1, '<MTConnectStreams>&b'],
      ['The XML is invalid at character 18', 1, '<MTConnectStreams>'],
    ])
  })

  it('Recorded messages become samples; lines and values without one are counted with an example', async () => {
    const trial = new ConnectorTrial(
      toConnector(
        {
          id: 'b',
          name: 'Broker',
          kind: 'mqtt',
          address: 'mqtt://broker',
          machines: [{ source: 'plant/+/{machine}', machineId: { mill5: machineId } }],
          rules: [
            {
              from: 'plant/+/{machine}/state',
              value: '$.code',
              time: '$.ts',
              key: 'execution',
              type: 'EXECUTION',
              map: { 1: 'READY', 2: 'ACTIVE' },
            },
            { from: 'plant/+/{machine}/lwt', equals: 'offline', unavailable: true },
            { from: 'plant/+/{machine}/t', key: 't', type: 'temperature', scale: 0.1, category: 'SAMPLE', deadband: 1 },
          ],
        },
        '',
        null,
      ),
      nowMs,
    )
    const at = '2026-11-23T08:00:00Z'
    const lines = [
      { at, topic: 'plant/a/mill5/state', payload: { code: 2, ts: nowMs } },
      { at, topic: 'plant/a/mill5/state', payload: '{"code":3}' },
      { at, topic: 'plant/a/mill6/state', payload: '{"code":3}' },
      { at, topic: 'plant/a/mill5/t', payload: 205 },
      { at, topic: 'plant/a/mill5/t', payload: '210' },
      { at, topic: 'plant/a/mill5/lwt', payload: 'offline' },
      { at: 'now', topic: 'plant/a/mill5/lwt', payload: 'offline' },
    ].map(line => JSON.stringify(line))
    const samples: string[] = []
    for await (const { key, type, value, timestamp } of trial.messages(iterate([...lines, '{', null])))
      samples.push([key, type, value, timestamp].join(' '))
    expect(samples).to.deep.equal([
      'execution EXECUTION ACTIVE 2026-11-23T09:00:00.000000Z',
      't TEMPERATURE 20.5 2026-11-23T08:00:00.000000Z',
      'execution EXECUTION UNAVAILABLE 2026-11-23T09:00:00.000001Z',
      't TEMPERATURE UNAVAILABLE 2026-11-23T08:00:00.000001Z',
    ])
    expect([...trial.skipped.byReason].map(([reason, { count, example }]) => [reason, count, example])).to.deep.equal([
      ['the line is not {"at", "topic", "payload"}', 3, lines[6]],
      ['rules[0].map has no such text', 1, 'plant/a/mill5/state {"code":3}'],
      ['machines has no entry for the topic', 1, 'plant/a/mill6/state {"code":3}'],
    ])
  })

  it('Posted samples are changed by the rules of their machine, and invalid ones are counted', async () => {
    const rules = [{ from: 'DB10.W4', key: 'execution', type: 'EXECUTION', map: { 3: 'ACTIVE' } }]
    const input = { id: 'p', name: 'PLC', kind: 'http', machines: [{ machineId }], rules } as const
    const trial = new ConnectorTrial(toConnector(input, '', null), nowMs)
    const sample = { timestamp: '2026-11-23T08:00:00Z', key: 'DB10.W4', type: 'WORD', value: 3 }
    const body = [
      { machineId, samples: [sample, { ...sample, value: 4 }, { ...sample, key: '' }] },
      { machineId: other, ...sample },
    ]
    const samples = await trial.posts(Buffer.from(JSON.stringify(body)))
    expect(samples.map(({ machineId: id, key, value }) => [id, key, value])).to.deep.equal([
      [machineId, 'execution', 'ACTIVE'],
      [other, 'DB10.W4', '3'],
    ])
    expect([...trial.skipped.byReason.keys()]).to.deep.equal([
      'rules[0].map has no such text',
      'invalid_sample: key must be a text of 1 to 16384 characters',
    ])
  })
})

async function* iterate<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values
}
