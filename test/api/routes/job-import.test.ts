import { assert } from 'chai'
import { randomUUID } from 'node:crypto'
import type { JobOperationRecord } from '../../../schema/records.ts'
import { faultsOf, startApi, type TestApi } from '../../support/api.ts'
import { importFile, sample, workbook } from '../import/form.ts'

describe('POST /jobs/import', function () {
  this.timeout(60_000)
  let api: TestApi
  const lathe = randomUUID()

  beforeEach(async () => {
    api = await startApi()
    const submit = (name: string, payload: object) =>
      api.registrar.submit({ companyId: api.registrar.company.id, actor: 'test', name, payload })
    await submit('machineGroup.put', { id: 'mills', name: 'Mills' })
    await submit('machine.put', { id: lathe, name: 'Lathe 1', erpMachineId: 'L-01' })
    await submit('machine.put', { id: randomUUID(), name: 'Mill 1', machineGroupIds: ['mills'] })
  })
  afterEach(() => api.close())

  const operations = (): readonly JobOperationRecord[] =>
    api.registrar.records.list('jobOperation', api.registrar.company.id)
  const operation = (jobName: string): JobOperationRecord => {
    const found = operations().filter(each => each.jobName === jobName)
    assert.lengthOf(found, 1, jobName)
    return found[0] ?? assert.fail()
  }
  const noTimes = { expectedSetupTime: null, idealPartTime: null, expectedPartTime: null, partCountMultiplier: null }
  const ok = async (...args: Parameters<typeof importFile> extends [TestApi, ...infer Rest] ? Rest : never) => {
    const { status, body } = await importFile(api, ...args)
    assert.deepEqual({ status, body }, { status: 200, body: null })
  }

  it('takes the sample of its own format, every field of it', async () => {
    await ok(sample('mm.csv'))
    const { id: _, ref: __, companyId: ___, ...flange } = operation('WO-1001')
    assert.deepEqual(flange, {
      jobName: 'WO-1001',
      lotName: 'A',
      operationName: '10',
      partName: 'Flange 80',
      description: 'Flange, turned',
      dueAt: '2026-04-01T00:00:00.000Z',
      quantityRequired: 500,
      partValue: 12.5,
      expectedPartTime: 60000,
      idealPartTime: 52000,
      expectedSetupTime: 1800,
      partCountMultiplier: 1,
      thresholds: { partsGoalWarning: 0.9, partsGoalFailure: 0.75 },
      archivedAt: null,
      workCenters: [
        {
          machineId: lathe,
          machineGroupId: null,
          expectedSetupTime: 1500,
          idealPartTime: 50000,
          expectedPartTime: 58000,
          partCountMultiplier: null,
        },
        {
          machineId: null,
          machineGroupId: 'mills',
          expectedSetupTime: 2400,
          idealPartTime: 55000,
          expectedPartTime: 64000,
          partCountMultiplier: 2,
        },
      ],
    })
    const shaft = operation('WO-1002')
    assert.include(shaft, { dueAt: '2026-04-03T12:00:00.000Z', partCountMultiplier: 2 })
    assert.deepEqual(shaft.workCenters, [{ machineId: lathe, machineGroupId: null, ...noTimes }])
  })

  it('takes the samples of both other formats', async () => {
    for (const [type, file] of [
      ['vendorVisual', 'vendorVisual.csv'],
      ['vendorLN', 'vendorLN.xlsx'],
    ] as const) {
      await ok(sample(file), { type, autoArchive: 'true' })
      const current = operations().filter(({ archivedAt }) => archivedAt === null)
      assert.lengthOf(current, 3, type)
      const [first, second] = current
      assert.deepInclude(first, {
        jobName: 'WO-1001',
        operationName: '10',
        partName: 'FLANGE-80',
        dueAt: '2026-04-01T00:00:00.000Z',
        quantityRequired: 500,
      })
      assert.deepEqual(first?.workCenters, [
        {
          machineId: lathe,
          machineGroupId: null,
          expectedSetupTime: 1800,
          idealPartTime: 63000,
          expectedPartTime: 72000,
          partCountMultiplier: null,
        },
      ])
      assert.deepEqual(second?.workCenters, [
        {
          machineId: null,
          machineGroupId: 'mills',
          expectedSetupTime: 900,
          idealPartTime: null,
          expectedPartTime: 90000,
          partCountMultiplier: null,
        },
      ])
    }
  })

  it('takes columns in any order and letter case, of both generations, with a byte order mark, and passes over unknown ones', async () => {
    await ok('\uFEFFIdealCycleTime,extra,WorkCenter,DEFAULT_EXPECTEDCYCLETIME,NAME\r\n4000,x,L-01,9000,J1\r\n')
    const job = operation('J1')
    assert.include(job, { expectedPartTime: 9000, idealPartTime: null, lotName: '', operationName: '', partName: '' })
    assert.deepEqual(job.workCenters, [{ machineId: lathe, machineGroupId: null, ...noTimes, idealPartTime: 4000 }])
  })

  it('leaves alone what the file has no column for, and takes away what is empty in it', async () => {
    await ok('name,description,quantity,idealparttime,workcenter\nJ1,One,5,1000,Lathe 1\n')
    const { id, ref } = operation('J1')
    await ok('name,quantity\nJ1,\n')
    assert.deepInclude(operation('J1'), { id, ref, description: 'One', quantityRequired: null })
    assert.lengthOf(operation('J1').workCenters, 1)
    await ok('name,workcenter\nJ1,\n')
    assert.deepEqual(operation('J1').workCenters, [])
  })

  it('takes times without a work center as the job’s own', async () => {
    await ok('name,idealparttime,setuptime\nJ1,1000,60\n')
    assert.include(operation('J1'), { idealPartTime: 1000, expectedSetupTime: 60 })
  })

  it('archives what the file does not name where asked to, and brings back what it does', async () => {
    await ok('name\nJ1\nJ2\n')
    await ok('name\nJ2\nJ3\n')
    assert.isNull(operation('J1').archivedAt)
    await ok('name\nJ2\nJ3\n', { autoArchive: 'true' })
    assert.isString(operation('J1').archivedAt)
    assert.isNull(operation('J2').archivedAt)
    await ok('name\nJ1\n', { autoArchive: 'false' })
    assert.isNull(operation('J1').archivedAt)
    await ok('name\n', { autoArchive: 'true' })
    assert.isTrue(operations().every(({ archivedAt }) => archivedAt !== null))
  })

  it('lists every fault with its row, and applies nothing', async () => {
    const answer = await importFile(
      api,
      [
        'name,operation,workcenter,idealparttime,quantity,due_date,warningpercent',
        'J1,10,Lathe 1,1000,5,2026-04-01,90',
        ',10,Lathe 1,1000,5,,',
        'J2,10,Nowhere,-1,x,2026-02-30,101',
        '',
        'J1,10,Mills,2000,6,,',
        'J1,10,Lathe 1,1001,5,,',
        `${'J'.repeat(201)},,,,,,`,
      ].join('\n'),
    )
    assert.equal(answer.status, 400)
    assert.deepEqual(faultsOf(answer), [
      'row 3.name Required',
      'row 4.due_date InvalidDate',
      'row 4.quantity InvalidType',
      'row 4.warningpercent OutOfRange',
      'row 4.idealparttime OutOfRange',
      'row 4.workcenter InvalidDataItem',
      'row 6.quantity InvalidDataItem',
      'row 7.workcenter InvalidDataItem',
      'row 8.name OutOfRange',
    ])
    assert.lengthOf(operations(), 0)
  })

  it('lists a thousand faults at most, and says how many more there are', async () => {
    const answer = await importFile(api, `name,quantity\n${'J,x\n'.repeat(1500)}`)
    assert.equal(answer.status, 400)
    assert.lengthOf(faultsOf(answer), 1000)
    assert.deepInclude(answer.body, { message: 'Validation Error', more: 500 })
  })

  it('takes rows that say the same again', async () => {
    await ok('name,workcenter,idealparttime\nJ1,Lathe 1,1000\nJ1,L-01,1000\n')
    assert.lengthOf(operation('J1').workCenters, 1)
  })

  it('asks for the file, a known type and a flag, and for the scope erp', async () => {
    const form = new FormData()
    form.append('autoArchive', 'perhaps')
    const answer = await api.call('POST', '/jobs/import', undefined, { raw: form })
    assert.deepEqual([answer.status, ...faultsOf(answer)], [400, 'csvFile Required', 'autoArchive InvalidType'])
    const unknown = await importFile(api, 'name\nJ1\n', { type: 'other' })
    assert.deepEqual([unknown.status, ...faultsOf(unknown)], [400, 'type InvalidEnum'])
    assert.equal((await importFile(api, 'name\nJ1\n', { key: api.addKey(['erp.read']) })).status, 403)
    assert.equal((await importFile(api, 'name\nJ1\n', { key: api.addKey(['erp']) })).status, 200)
  })

  it('tells a workbook without what is looked for', async () => {
    const answer = await importFile(api, workbook([['Something'], ['else']]), { type: 'vendorLN' })
    assert.deepEqual([answer.status, ...faultsOf(answer)], [400, 'csvFile Required'])
  })
})
