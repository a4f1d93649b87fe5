import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { defaultConnectorOptions } from '../../../../schema/records/connector.ts'
import { Plant } from '../plant.ts'

const agent = { name: 'Agent', kind: 'mtconnect', address: 'http://10.0.0.5:5000' } as const
const broker = { name: 'Broker', kind: 'mqtt', address: 'mqtts://broker.example:8883' } as const

describe('connectors', () => {
  it('A connector gets defaults for omitted fields, and unknown fields are not stored', () => {
    const plant = new Plant()
    const rule = { from: 'temp', category: 'SAMPLE', deadband: 0.5, unknown: 1 } as const
    const machineId = plant.machine()
    const put = plant.result('connector.put', {
      ...agent,
      id: 'lathes',
      machines: [{ source: 'Lathe-1', machineId: machineId.toUpperCase() }],
      rules: [rule],
      options: { intervalMs: 1_000, user: null },
    })
    expect(put).to.deep.equal({
      ...agent,
      id: 'lathes',
      companyId: plant.companyId,
      enabled: true,
      sourceId: 'lathes',
      machines: [{ source: 'Lathe-1', machineId, paths: {}, expand: [], timeOffsetMs: 0 }],
      rules: [{ from: 'temp', category: 'SAMPLE', deadband: 0.5 }],
      options: { ...defaultConnectorOptions, intervalMs: 1_000 },
      secrets: {},
    })
    expect(plant.result('connector.delete', { id: 'lathes' })).to.equal(null)
    expect(plant.refusal('connector.delete', { id: 'lathes' }).status).to.equal(404)
  })

  it('Secrets stay if they are omitted or true, and null deletes one', () => {
    const plant = new Plant()
    const put = (secrets?: object) => plant.result('connector.put', { ...broker, id: 'b', ...(secrets && { secrets }) })
    expect(put({ password: 'sealed 1', ca: 'sealed 2' }).secrets).to.deep.equal({
      password: 'sealed 1',
      ca: 'sealed 2',
    })
    expect(put().secrets).to.deep.equal({ password: 'sealed 1', ca: 'sealed 2' })
    expect(put({ password: true, ca: null }).secrets).to.deep.equal({ password: 'sealed 1' })
    expect(put({ password: 'sealed 3' }).secrets).to.deep.equal({ password: 'sealed 3' })
    expect(plant.faults('connector.put', { ...broker, id: 'b', secrets: { key: true, ca: false } })).to.have.members([
      'secrets.ca InvalidDataItem',
    ])
    expect(plant.faults('connector.put', { ...broker, id: 'b', secrets: { key: true } })).to.deep.equal([
      'secrets.key InvalidDataItem',
    ])
  })

  it('If the scheme, host or port of the address changes, each stored secret must be sent again or deleted', () => {
    const plant = new Plant()
    const body = { ...broker, id: 'b', address: 'mqtts://broker.example:8883' }
    const faults = (address: string, secrets?: object) =>
      plant.faults('connector.put', { ...body, address, ...(secrets && { secrets }) })
    plant.result('connector.put', { ...body, secrets: { password: 'sealed 1', ca: 'sealed 2' } })
    const both = ['secrets.password InvalidDataItem', 'secrets.ca InvalidDataItem']
    for (const address of ['mqtts://other.example:8883', 'mqtts://broker.example:8884', 'mqtt://broker.example:8883'])
      for (const secrets of [undefined, {}, { password: true }])
        expect(faults(address, secrets), address).to.have.members(both)
    const moved = 'mqtts://other.example:8883'
    expect(faults(moved, { password: 'sealed 3' })).to.deep.equal(['secrets.ca InvalidDataItem'])
    const withoutAddress = { ...body, kind: 'http', address: null }
    expect(plant.faults('connector.put', withoutAddress)).to.have.members(both)
    plant.result('connector.put', { ...body, address: 'mqtts://broker.example:8883/' })
    const secrets = { password: 'sealed 3', ca: null }
    expect(plant.result('connector.put', { ...body, address: moved, secrets })).to.deep.include({
      secrets: { password: 'sealed 3' },
    })
    plant.result('connector.put', { ...agent, id: 'a', secrets: { password: 'sealed 1' } })
    plant.result('connector.put', { ...agent, id: 'a', address: `${agent.address}/path` })
    plant.result('connector.put', { ...agent, id: 'c' })
    plant.result('connector.put', { ...agent, id: 'c', address: 'http://10.0.0.6:5000' })
  })

  it('A secret and its file are never stored together, and a file must be named again for another address', () => {
    const plant = new Plant()
    const body = { ...broker, id: 'b' }
    const put = (secrets: object) => plant.result('connector.put', { ...body, secrets }).secrets
    expect(put({ password: 'sealed 1', caFile: 'ca.pem' })).to.deep.equal({ password: 'sealed 1', caFile: 'ca.pem' })
    expect(put({ passwordFile: 'plc' })).to.deep.equal({ passwordFile: 'plc', caFile: 'ca.pem' })
    expect(put({ passwordFile: 'plc2', ca: 'sealed 2' })).to.deep.equal({ passwordFile: 'plc2', ca: 'sealed 2' })
    expect(plant.faults('connector.put', { ...body, secrets: { ca: true, caFile: 'ca.pem' } })).to.deep.equal([
      'secrets.caFile InvalidDataItem',
    ])
    expect(plant.faults('connector.put', { ...body, secrets: { password: true } })).to.deep.equal([
      'secrets.password InvalidDataItem',
    ])
    const moved = { ...body, address: 'mqtts://other.example' }
    expect(plant.faults('connector.put', moved)).to.have.members([
      'secrets.passwordFile InvalidDataItem',
      'secrets.ca InvalidDataItem',
    ])
    const secrets = { passwordFile: 'plc2', caFile: 'ca.pem' }
    expect(plant.result('connector.put', { ...moved, secrets })).to.deep.include({ secrets })
  })

  it('An address must fit the kind, and contain neither user nor password', () => {
    const plant = new Plant()
    const problem = (kind: string, address: string | null) => {
      const command = plant.do('connector.put', { id: 'c', name: 'C', kind, address })
      return command.outcome.ok ? null : command.outcome.error.errors.map(({ message }) => message).join()
    }
    for (const [kind, address] of [
      ['mtconnect', 'https://agent.example/path?x=1'],
      ['shdr', 'tcp://[fd00::1]:7878'],
      ['shdr', 'tcp://adapter'],
      ['mqtt', 'mqtt://10.1.2.3'],
      ['http', null],
    ] as const)
      expect(problem(kind, address), `${kind} ${address}`).to.equal(null)
    for (const [kind, address, expected] of [
      ['mtconnect', null, 'must begin with http:// or https://'],
      ['mtconnect', 'ftp://agent', 'must begin with http:// or https://'],
      ['mtconnect', 'http:agent', 'must begin with http:// or https://'],
      ['mtconnect', 'http://', 'must begin with http:// or https://'],
      ['shdr', 'tcp://', 'must name a host'],
      ['shdr', 'tcp://a:7878/x', 'must end after the port'],
      ['mqtt', 'mqtt://a?x=1', 'must end after the port'],
      ['mqtt', 'mqtt://ann:secret@a', 'must not contain a user or password: use options.user and secrets.password'],
      ['http', 'http://a', 'must be null for the kind http'],
    ] as const)
      expect(problem(kind, address), `${kind} ${address}`).to.equal(`address ${expected}`)
  })

  it('A machine belongs to the company and has at most one connector, and two connectors share no sourceId', () => {
    const plant = new Plant()
    const [first, second, third] = [plant.machine(), plant.machine(), plant.machine()]
    plant.result('connector.put', {
      ...agent,
      id: 'a',
      machines: [{ source: 'A', machineId: first, paths: { path2: second } }],
    })
    const missing = randomUUID()
    const faults = plant.faults('connector.put', {
      ...broker,
      id: 'b',
      sourceId: 'a',
      machines: [
        { source: 'plant/{machine}', machineId: { one: second, two: third, three: missing } },
        { source: 'x', machineId: first },
      ],
    })
    expect(faults).to.have.members([
      'sourceId InvalidDataItem',
      'machines[0].machineId.one InvalidDataItem',
      'machines[0].machineId.three InvalidDataItem',
      'machines[1].machineId InvalidDataItem',
    ])
    plant.result('connector.put', { ...agent, id: 'a', machines: [] })
    plant.result('connector.put', { ...broker, id: 'b', machines: [{ source: 'x', machineId: first }] })
  })

  it('Each field error of machines and rules names its place', () => {
    const plant = new Plant()
    const machineId = plant.machine()
    const faults = (body: object) => plant.faults('connector.put', { id: 'c', ...body })
    expect(
      faults({
        ...broker,
        machines: [
          { machineId, expand: ['vars.T1'] },
          { source: 'plant/+', machineId: '{machine}' },
          { source: '{a}/{b}', machineId: { x: machineId } },
          { source: 'x', machineId, paths: { p: machineId } },
          { source: 'x/{m}-1', machineId },
          { source: '{a}/{a}', machineId },
        ],
        rules: [
          { from: 'a' },
          { from: 'b', unavailable: true },
          { from: 'c', key: 'k', type: 'T', value: '@.v' },
          { from: 'a/#/b', unavailable: true, each: '$[*]' },
        ],
      }),
    ).to.have.members([
      'machines[0].source Required',
      'machines[0].expand InvalidDataItem',
      'machines[1].source InvalidDataItem',
      'machines[2].source InvalidDataItem',
      'machines[3].paths InvalidDataItem',
      'machines[4].source InvalidDataItem',
      'machines[5].source InvalidDataItem',
      'rules[0].key Required',
      'rules[0].type Required',
      'rules[2].value InvalidDataItem',
      'rules[3].from InvalidDataItem',
      'rules[3].each InvalidDataItem',
    ])
    expect(
      faults({
        name: 'H',
        kind: 'http',
        machines: [
          { machineId, source: machineId.toUpperCase() },
          { machineId: '{machine}', source: 'x' },
          { machineId, timeOffsetMs: 1 },
        ],
        rules: [{ from: 'DB10.W4', each: '$[*]', deadband: 1, unavailable: true }],
      }),
    ).to.have.members([
      'machines[1].machineId InvalidDataItem',
      'machines[1].source InvalidDataItem',
      'machines[2].timeOffsetMs InvalidDataItem',
      'rules[0].each InvalidDataItem',
      'rules[0].each InvalidDataItem',
      'rules[0].deadband InvalidDataItem',
      'rules[0].deadband InvalidDataItem',
      'rules[0].unavailable InvalidDataItem',
    ])
    const rules = [
      { from: 'a', key: 'k', type: 'T', scale: '2', value: '$.a..b', round: 16 },
      { from: 'b', key: 'k', type: 'T', value: '$["a b"][0].c', each: '$.list[*]', category: 'TEXT' },
      { from: 'c', key: 'k', type: 'T', value: '$.list[*]', each: '@.list' },
      { from: 'd', key: 'k', type: 'T', each: '$.list' },
    ]
    const { errors } = plant.refusal('connector.put', { id: 'c', ...broker, rules })
    expect(errors.map(({ message }) => message)).to.have.members([
      'rules[0].scale must be number',
      'rules[0].value must be a path such as $.status["code"], $[0] or @.value',
      'rules[0].round must be <= 15',
      'rules[1].category must be one of SAMPLE, EVENT, CONDITION',
      'rules[2].value must be a path such as $.status["code"], $[0] or @.value',
      'rules[2].each must be a path such as $.alarms[*]',
      'rules[3].each must be a path such as $.alarms[*]',
    ])
  })

  it('A machine without staleAfterMs gets 60 s when it is assigned, and a later change of it stays', () => {
    const plant = new Plant()
    const staleAfterMs = (machineId: string) => plant.records.machine(machineId)?.staleAfterMs
    const [unset, own, posted] = [plant.machine(), plant.machine({ staleAfterMs: 300_000 }), plant.machine()]
    const machines = [unset, own].map(machineId => ({ source: machineId, machineId }))
    plant.result('connector.put', { ...agent, id: 'a', machines })
    plant.result('connector.put', { id: 'h', name: 'H', kind: 'http', machines: [{ machineId: posted }] })
    expect([unset, own, posted].map(staleAfterMs)).to.deep.equal([60_000, 300_000, null])
    plant.result('machine.put', { id: unset, name: 'Off', staleAfterMs: null })
    plant.result('connector.put', { ...agent, id: 'a', machines, enabled: false })
    expect(staleAfterMs(unset)).to.equal(null)
  })
})
