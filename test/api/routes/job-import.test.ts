import { assert } from 'chai'
import { randomUUID } from 'node:crypto'
import type { JobOperationRecord } from '../../../schema/records/job-operation.ts'
import { faultsOf, startApi, type TestApi } from '../../support/api.ts'
import { readAs } from '../../support/read-as.ts'
import { importFile, sample, workbook } from '../import/form.ts'

describe('POST /jobs/import', function () {
  let api: TestApi
  const lathe = randomUUID()

  beforeEach(async () => {
    api = await startApi()
    await api.registrar.perform('machineGroup.put', { id: 'mills', name: 'Mills' })
    await api.registrar.perform('machine.put', { id: lathe, name: 'Lathe 1', erpMachineId: 'L-01' })
    await api.registrar.perform('machine.put', { id: randomUUID(), name: 'Mill 1', machineGroupIds: ['mills'] })
  })
  afterEach(() => api.close())

  const operations = (): readonly JobOperationRecord[] =>
    api.registrar.records.list('jobOperation', api.registrar.company.id)
  const operation = (jobName: string): JobOperationRecord => {
    const found = operations().filter(each => each.jobName === jobName)
    assert.lengthOf(found, 1, jobName)
    return found[0] ?? assert.fail()
  }
  const defaultJobTimes = {
    expectedSetupTime: null,
    idealPartTime: null,
    expectedPartTime: null,
    partCountMultiplier: null,
  }
  const ok = async (...args: Parameters<typeof importFile> extends [TestApi, ...infer Rest] ? Rest : never) => {
    const { status, body } = await importFile(api, ...args)
    assert.deepEqual({ status, body }, { status: 200, body: null })
  }

  it('Every field of the example file mm is imported', async () => {
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
    assert.deepEqual(shaft.workCenters, [{ machineId: lathe, machineGroupId: null, ...defaultJobTimes }])
  })

  it('The example files of vendorVisual and vendorLN are imported', async () => {
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

  it('Columns are accepted in any order, letter case and generation, after a byte order mark, and unknown ones are ignored', async () => {
    await ok('\uFEFFIdealCycleTime,extra,WorkCenter,DEFAULT_EXPECTEDCYCLETIME,NAME\r\n4000,x,L-01,9000,J1\r\n')
    const job = operation('J1')
    assert.include(job, { expectedPartTime: 9000, idealPartTime: null, lotName: '', operationName: '', partName: '' })
    assert.deepEqual(job.workCenters, [
      { machineId: lathe, machineGroupId: null, ...defaultJobTimes, idealPartTime: 4000 },
    ])
  })

  it('A missing column leaves a field unchanged, and an empty cell clears the field', async () => {
    await ok('name,description,quantity,idealparttime,workcenter\nJ1,One,5,1000,Lathe 1\n')
    const { id, ref } = operation('J1')
    await ok('name,quantity\nJ1,\n')
    assert.deepInclude(operation('J1'), { id, ref, description: 'One', quantityRequired: null })
    assert.lengthOf(operation('J1').workCenters, 1)
    await ok('name,workcenter\nJ1,\n')
    assert.deepEqual(operation('J1').workCenters, [])
  })

  it('Times in a row without a work center are those of the job operation', async () => {
    await ok('name,idealparttime,setuptime\nJ1,1000,60\n')
    assert.include(operation('J1'), { idealPartTime: 1000, expectedSetupTime: 60 })
  })

  it('autoArchive archives operations that the file lacks, and an import reactivates those that it has', async () => {
    await ok('name\nJ1\nJ2\n')
    await ok('name\nJ2\nJ3\n')
    assert.isNull(operation('J1').archivedAt)
    await ok('name\nJ2\nJ3\n', { autoArchive: 'true' })
    assert.isString(operation('J1').archivedAt)
    assert.isNull(operation('J2').archivedAt)
    await ok('name\nJ1\n', { autoArchive: 'false' })
    assert.isNull(operation('J1').archivedAt)
    await ok('name\n', { autoArchive: 'true', allowEmpty: 'true' })
    assert.isTrue(operations().every(({ archivedAt }) => archivedAt !== null))
  })

  it('Every error of a job file is listed with its row, and a file with errors changes nothing', async () => {
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

  it('At most a thousand errors of a job file are listed, with the number of the others', async () => {
    const answer = await importFile(api, `name,quantity\n${'J,x\n'.repeat(1500)}`)
    assert.equal(answer.status, 400)
    assert.lengthOf(faultsOf(answer), 1000)
    assert.deepInclude(answer.body, { message: 'Validation Error', more: 500 })
  })

  it('A response to a job file contains at most 256 kB of errors', async () => {
    const { status, body } = await importFile(api, `name,quantity\n${`J,${'\u0001'.repeat(60)}x\n`.repeat(1000)}`)
    assert.equal(status, 400)
    const bytes = Buffer.byteLength(JSON.stringify(body))
    assert.isAtMost(bytes, 262_144)
    assert.isAbove(bytes, 240_000)
    const { errors, more } = readAs<{ errors: unknown[]; more: number }>(body)
    assert.equal(errors.length + more, 1000)
  })

  for (const [name, delimiter] of [
    ['semicolons', ';'],
    ['tabs', '\t'],
    ['commas', ','],
  ] as const)
    it(`The delimiter of a job file with ${name} is recognized`, async () => {
      const cells = [
        ['name', '"part, one; or\tmore"', 'part'],
        ['J1', 'x', '"Flange; 80, turned"'],
      ]
      await ok(cells.map(row => row.join(delimiter)).join('\r\n'))
      assert.include(operation('J1'), { partName: 'Flange; 80, turned' })
    })

  it('The sep= line of Excel sets the delimiter of a job file', async () => {
    await ok('sep=;\r\nname;part\r\nJ1;a,b,c,d\r\n')
    assert.include(operation('J1'), { partName: 'a,b,c,d' })
  })

  it('A job file in Windows-1252 is imported', async () => {
    const text = Buffer.from('name;part;lot\nJ1;Geh\u00e4use \u0096 5 \u0080;\u0084A\u0093\n', 'latin1')
    await ok(text)
    assert.include(operation('J1'), { partName: 'Geh\u00e4use \u2013 5 \u20ac', lotName: '\u201eA\u201c' })
    await ok(Buffer.from('name,part\nJ2,Geh\u00e4use\n'))
    assert.include(operation('J2'), { partName: 'Geh\u00e4use' })
  })

  it('UTF-8 with one invalid byte is rejected, and autoArchive archives nothing', async () => {
    await ok('name,part\nJ1,Geh\u00e4use\nJ2,B\u00fcchse\n')
    const latin1 = Buffer.from('J2,B\u00fcchse\n', 'latin1')
    const files: readonly (readonly [Buffer, number])[] = [
      [Buffer.concat([Buffer.from('name,part\nJ1,Geh\u00e4use\n'), latin1]), 3],
      [Buffer.concat([Buffer.from('name,part\n'), latin1, Buffer.from('J1,\u4e2d\n')]), 2],
      [Buffer.concat([Buffer.from('\uFEFFname,part\nJ1,x\n'), latin1]), 3],
      [Buffer.concat([Buffer.from(`name,part\n${'J,x\n'.repeat(50_000)}J1,Geh\u00e4use\n`), latin1]), 50_003],
    ]
    for (const [file, line] of files) {
      const answer = await importFile(api, file, { autoArchive: 'true' })
      assert.deepEqual([answer.status, ...faultsOf(answer)], [400, 'csvFile InvalidDataItem'])
      assert.include(JSON.stringify(answer.body), `first in line ${line}:`)
      assert.isTrue(operations().every(({ archivedAt }) => archivedAt === null))
    }
  })

  it('A row with another number of cells than the heading is an error', async () => {
    await ok('name,part,,\nJ1,P\nJ2,P,note,,,\n')
    for (const row of ['(1 rows affected)', 'J3,P', 'J3,P,10,1,5', '"J3,P,10,1"', 'Total,,'])
      assert.deepEqual(faultsOf(await importFile(api, `name,part,operation,quantity\nJ1,P,10,5\n\n${row}\n`)), [
        'row 4 InvalidDataItem',
      ])
    assert.lengthOf(operations(), 2)
  })

  it('="00124" is the text 00124, and a number that a spreadsheet shortened is an error', async () => {
    await ok('"=""name""",part,lot,quantity\n"=""00124""",="0045",="",="5"\n"=""a""""b""",=x,"=""1",\n')
    assert.deepInclude(operation('00124'), { partName: '0045', lotName: '', quantityRequired: 5 })
    assert.deepInclude(operation('a"b'), { partName: '=x', lotName: '="1' })
    assert.deepEqual(faultsOf(await importFile(api, 'name,part\n1.23457E+11,P\nJ,1E+05\n')), [
      'row 2.name InvalidDataItem',
      'row 3.part InvalidDataItem',
    ])
  })

  it('The mapping vendorVisual reads a date with a time and grouped thousands', async () => {
    const heading = 'WORKORDER_BASE_ID,DESIRED_QTY,DESIRED_WANT_DATE'
    const rows = 'J1,"1,500.00",4/1/2026 12:00:00 AM\nJ2,1500.0000,2026-04-01 14:30:00.000\n'
    await ok(`${heading}\n${rows}`, { type: 'vendorVisual' })
    assert.deepInclude(operation('J1'), { quantityRequired: 1500, dueAt: '2026-04-01T00:00:00.000Z' })
    assert.deepInclude(operation('J2'), { quantityRequired: 1500, dueAt: '2026-04-01T14:30:00.000Z' })
  })

  it('The dates of a workbook can be dates, serial numbers and texts', async () => {
    const rows = [
      ['J1', new Date('2026-04-01T00:00:00Z')],
      ['J2', 46113],
      ['J3', 46113.75],
      ['J4', '46113'],
      ['J5', '2026-04-01'],
      ['J6', '2026-04-01T18:00:00+02:00'],
    ]
    await ok(workbook([['Order', 'Planned Delivery Date'], ...rows]), { type: 'vendorLN' })
    assert.deepEqual(
      rows.map(([name]) => operation(String(name)).dueAt),
      ['00', '00', '18', '00', '00', '16'].map(hour => `2026-04-01T${hour}:00:00.000Z`),
    )
    const odd = [
      ['J7', 1e9],
      ['J8', 'soon'],
      ['J9', -5],
    ]
    const answer = await importFile(api, workbook([['Order', 'Planned Delivery Date'], ...odd]), { type: 'vendorLN' })
    assert.deepEqual(faultsOf(answer), [
      'row 2.due_date InvalidDate',
      'row 3.due_date InvalidDate',
      'row 4.due_date InvalidDate',
    ])
  })

  it('autoArchive archives nothing for a file without jobs, unless allowEmpty is set', async () => {
    await ok('name\nJ1\n')
    for (const content of ['name,part\n', 'name,part\n,\n\n', 'name']) {
      const answer = await importFile(api, content, { autoArchive: 'true' })
      assert.deepEqual([answer.status, ...faultsOf(answer)], [400, 'csvFile Required'], content)
      assert.isNull(operation('J1').archivedAt)
    }
    const noOrders = await importFile(api, workbook([['Order']]), { type: 'vendorLN', autoArchive: 'true' })
    assert.equal(noOrders.status, 400)
    await ok('name,part\n')
    assert.isNull(operation('J1').archivedAt, 'without autoArchive')
    await ok('name,part\n', { autoArchive: 'true', allowEmpty: 'true' })
    assert.isNotNull(operation('J1').archivedAt)
    await ok('name\nJ1\n')
    const form = new FormData()
    form.append('csvFile', new Blob(['name\n']), 'jobs.csv')
    form.append('autoArchive', 'true')
    assert.equal((await api.call('POST', '/jobs/import?allowEmpty=true', undefined, { raw: form })).status, 200)
    assert.isNotNull(operation('J1').archivedAt)
  })

  it('An error names the form field that must contain the job file', async () => {
    for (const [field, isFile, message] of [
      ['file', true, "The file must be in the field csvFile, not in 'file'"],
      ['csvfile', true, "The file must be in the field csvFile, not in 'csvfile'"],
      ['csvFile', false, 'csvFile must be a file'],
    ] as const) {
      const form = new FormData()
      form.append(field, isFile ? new Blob(['name\nJ1\n']) : 'name')
      const { status, body } = await api.call('POST', '/jobs/import', undefined, { raw: form })
      assert.equal(status, 400)
      assert.deepInclude(body, { errors: [{ field: 'csvFile', code: 'Required', message }] })
    }
  })

  it('Repeated rows of a job file with equal content are accepted', async () => {
    await ok('name,workcenter,idealparttime\nJ1,Lathe 1,1000\nJ1,L-01,1000\n')
    assert.lengthOf(operation('J1').workCenters, 1)
  })

  it('A job import needs the file, a known type, a valid flag and the scope erp', async () => {
    const form = new FormData()
    form.append('autoArchive', 'perhaps')
    const answer = await api.call('POST', '/jobs/import', undefined, { raw: form })
    assert.deepEqual([answer.status, ...faultsOf(answer)], [400, 'csvFile Required', 'autoArchive InvalidType'])
    const unknown = await importFile(api, 'name\nJ1\n', { type: 'other' })
    assert.deepEqual([unknown.status, ...faultsOf(unknown)], [400, 'type InvalidEnum'])
    assert.equal((await importFile(api, 'name\nJ1\n', { key: api.addKey(['erp.read']) })).status, 403)
    assert.equal((await importFile(api, 'name\nJ1\n', { key: api.addKey(['erp']) })).status, 200)
  })

  it('A workbook without the columns of the mapping is rejected', async () => {
    const answer = await importFile(api, workbook([['Something'], ['else']]), { type: 'vendorLN' })
    assert.deepEqual([answer.status, ...faultsOf(answer)], [400, 'csvFile Required'])
  })
})
