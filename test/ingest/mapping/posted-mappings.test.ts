import { expect } from 'chai'
import { type Acceptor, createAcceptor } from '../../../ingest/accept/acceptor.ts'
import { decodeRecord } from '../../../ingest/decode/record.ts'
import { followPostedMappings } from '../../../ingest/mapping/posted-mappings.ts'
import {
  type ConnectorRecord,
  defaultConnectorMachine,
  defaultConnectorOptions,
} from '../../../schema/records/connector.ts'
import { asCompanyRef, asMachineRef } from '../../../schema/refs.ts'
import { topics } from '../../../schema/topics.ts'
import { companyId, openPlant, otherCompanyId, type Plant } from '../consume/plant.ts'

const nowMs = Date.parse('2024-05-06T08:00:00Z')
const mapped = '6f9619ff-8b86-4d01-b42d-00cf4fc96401'
const plain = '6f9619ff-8b86-4d01-b42d-00cf4fc96402'
const foreign = '6f9619ff-8b86-4d01-b42d-00cf4fc96403'

const rules: ConnectorRecord['rules'] = [
  { from: 'DB10.W4', equals: '9', key: 'execution', type: 'EXECUTION', map: { '*': 'STOPPED' } },
  { from: 'DB10.W4', key: 'execution', type: 'EXECUTION', map: { 3: 'ACTIVE', 1: 'READY' } },
  { from: 'temp', type: 'TEMPERATURE', value: '$.raw', time: '$.at', scale: 0.1, round: 1 },
]

describe('rules for posted samples', () => {
  let plant: Plant
  let acceptor: Acceptor

  beforeEach(async () => {
    plant = await openPlant(() => nowMs)
    plant.put({ id: mapped, ref: asMachineRef(11) })
    plant.put({ id: plain, ref: asMachineRef(12) })
    plant.put({ id: foreign, ref: asMachineRef(21), companyId: otherCompanyId })
    const mappings = followPostedMappings(plant.records)
    acceptor = createAcceptor({ log: plant.log, machines: plant.machines, mappings, now: () => nowMs })
  })
  afterEach(() => plant.close())

  function put(changes: Partial<ConnectorRecord> | null, company = companyId, machineId = mapped): void {
    const record: ConnectorRecord = {
      id: 'plc',
      companyId: company,
      name: 'PLC',
      kind: 'http',
      address: null,
      enabled: true,
      sourceId: 'plc',
      machines: [{ ...defaultConnectorMachine, machineId }],
      rules,
      options: defaultConnectorOptions,
      secrets: {},
      ...changes,
    }
    const before = plant.records.get('connector', company, record.id)
    plant.apply({ kind: 'connector', id: record.id, before, after: changes === null ? null : record })
  }

  const accept = (body: unknown) =>
    acceptor.accept({
      companyRef: asCompanyRef(1),
      body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    })
  const sample = { timestamp: '2024-05-06T07:59:59Z', key: 'DB10.W4', type: 'WORD', value: 3 }

  /** Machine, key, type, category, value and time of the samples in the log. */
  async function logged(): Promise<readonly string[]> {
    const { find: machine, findByRef: machineByRef } = plant.machines
    return (await plant.values(topics.samples)).flatMap(value =>
      decodeRecord(value, { machine, machineByRef, appendedAtMs: nowMs }).accepted.map(({ sample: each }) =>
        [each.machineRef, each.key, each.type, each.category, each.value, each.atUs / 1_000 - nowMs].join(' '),
      ),
    )
  }

  it('The first rule for the key changes a sample before the log, in each form of a body', async () => {
    put({})
    const one = { machineId: mapped, ...sample }
    const bodies = [
      one,
      [one],
      { machineId: mapped, samples: [sample] },
      `${JSON.stringify(one)}\n${JSON.stringify(one)}`,
    ]
    for (const body of bodies) expect(await accept(body)).to.deep.include({ rejectedCount: 0 })
    await accept({ machineId: mapped, samples: [{ ...sample, key: 'db10.w4', value: '9' }] })
    const active = '11 execution EXECUTION EVENT ACTIVE -1000'
    expect(await logged()).to.have.members([
      ...Array.from({ length: 5 }, () => active),
      '11 execution EXECUTION EVENT STOPPED -1000',
    ])
  })

  it('Fields that the rule does not name stay, and so do samples and machines without a rule', async () => {
    put({})
    await accept([
      { machineId: mapped, ...sample, category: 'SAMPLE', value: 1 },
      { machineId: mapped, ...sample, key: 'x', value: 'DB10.W4' },
      { machineId: plain, ...sample },
      { machineId: mapped, ...sample, key: 'temp', value: { raw: '205', at: nowMs - 5 } },
    ])
    expect(await logged()).to.have.members([
      '11 execution EXECUTION SAMPLE READY -1000',
      '11 x WORD EVENT DB10.W4 -1000',
      '12 DB10.W4 WORD EVENT 3 -1000',
      '11 temp TEMPERATURE SAMPLE 20.5 -5',
    ])
  })

  it('A value for which the rule gives no sample is rejected as unmapped; UNAVAILABLE stays', async () => {
    put({})
    const response = await accept([
      { machineId: mapped, ...sample, value: 4 },
      { machineId: mapped, ...sample, value: 'unavailable' },
      { machineId: mapped, ...sample, key: 'temp', value: 20 },
    ])
    expect(response).to.deep.equal({
      accepted: 1,
      rejected: [
        { index: 0, code: 'unmapped', message: 'rules[1].map has no such text' },
        { index: 2, code: 'unmapped', message: 'rules[2].value has no match' },
      ],
      rejectedCount: 2,
      rejectedByCode: { unmapped: 2 },
    })
    expect(await logged()).to.deep.equal(['11 execution EXECUTION EVENT UNAVAILABLE -1000'])
  })

  it('Changes of a connector apply to the next post; a disabled or deleted one has no effect', async () => {
    const post = () => accept({ machineId: mapped, ...sample })
    await post()
    put({})
    await post()
    put({ rules: [{ from: 'DB10.W4', map: { 3: 'C' } }] })
    await post()
    put({ enabled: false })
    await post()
    put({})
    put(null)
    await post()
    const unchanged = '11 DB10.W4 WORD EVENT 3 -1000'
    expect(await logged()).to.have.members([
      unchanged,
      '11 execution EXECUTION EVENT ACTIVE -1000',
      '11 DB10.W4 WORD EVENT C -1000',
      unchanged,
      unchanged,
    ])
  })

  it('A machine of another company stays unknown, also if a rule gives no sample', async () => {
    put({}, otherCompanyId, foreign)
    const { rejectedByCode } = await accept({ machineId: foreign, ...sample, value: 4 })
    expect(rejectedByCode).to.deep.equal({ unknown_machine: 1 })
  })
})
