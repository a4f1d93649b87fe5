import { assert } from 'chai'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtCommand } from '../support/npm-command.ts'
import { readAs } from '../support/read-as.ts'
import { startService, testKey, type TestService } from '../support/service.ts'

const nowMs = Date.parse('2024-05-06T12:00:00Z')
const items = `
  <DataItem id="x1" name="exec" category="EVENT" type="EXECUTION"/>
  <DataItem id="x2" name="count" category="EVENT" type="PART_COUNT"/>
  <DataItem id="x3" name="servo" category="CONDITION" type="ACTUATOR"/>
  <DataItem id="x4" name="Srpm" category="SAMPLE" type="ROTARY_VELOCITY" subType="ACTUAL"/>`

const moreItems = `${items}
  <DataItem id="x5" name="sys" category="CONDITION" type="SYSTEM"/>
  <DataItem id="t1" name="vib" category="SAMPLE" type="ACCELERATION" representation="TIME_SERIES"/>
  <DataItem id="al" name="alarm" category="EVENT" type="ALARM"/>
  <DataItem id="as" name="asset_chg" category="EVENT" type="ASSET_CHANGED"/>`

describe('npm run replay', function () {
  let service: TestService
  let folder: string

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'takt-replay-'))
    service = await startService({ nowMs })
  })
  after(async () => {
    await service.stop()
    rmSync(folder, { recursive: true })
  })

  /** Replays lines of a device with these data items. */
  const replay = async (machine: string, dataItems: string, lines: readonly string[]) => {
    const devices = join(folder, `${machine}.xml`)
    const log = join(folder, `${machine}.shdr`)
    writeFileSync(
      devices,
      `<MTConnectDevices><Devices><Device name="${machine}"><DataItems>${dataItems}</DataItems></Device><Device name="Second"><DataItems>${items}</DataItems></Device></Devices></MTConnectDevices>`,
    )
    writeFileSync(log, `${lines.join('\n')}\n`)
    const options = ['--devices', devices, '--machine', machine, '--url', service.url, '--key', testKey]
    const { stdout, code, stderr } = await builtCommand('replay', {}, ...options, log)
    return { code, lines: stdout.trim().split('\n'), stderr }
  }
  const totalParts = async (machine: string) => (await reportOf(machine))['totalParts']
  /** Total parts and time in cycle from 06:00 to 07:00. */
  const reportOf = async (machine: string): Promise<Record<string, unknown>> => {
    await service.settled()
    const found = service.records.machines(service.companyId).find(({ name }) => name === machine)
    const { body } = await service.call('POST', '/reports/production', {
      start: '2024-05-06T06:00:00Z',
      end: '2024-05-06T07:00:00Z',
      data: [{ metric: 'totalParts' }, { metric: 'timeInCycle' }],
      filter: { machine: [found?.id] },
    })
    return readAs<{ aggregate: Record<string, unknown> }>(body).aggregate
  }

  it('The end of a replay lists the keys that determine state, parts and alarms', async () => {
    const { code, lines } = await replay('Whole', items, [
      '* PING',
      '2024-05-06T06:00:00Z|exec|ACTIVE|count|0|Srpm|100',
      '2024-05-06T06:20:00Z|count|1|Xabs|12.5',
      '2024-05-06T06:25:00Z|servo|FAULT|414|||Servo overload',
      '2024-05-06T06:30:00Z|exec|READY',
    ])
    assert.deepEqual(lines, [
      'lines read: 5, of which skipped: 1',
      'samples accepted: 7',
      'samples rejected: none',
      'samples of unknown keys: Xabs 1 (12.5)',
      'state: exec (EXECUTION) 2',
      'spindle: Srpm (ROTARY_VELOCITY) 1',
      'parts (counter): count (PART_COUNT) 2',
      'alarms: servo (ACTUATOR) 1',
    ])
    assert.equal(code, 0)
  })

  it('The exit code of a replay is 2 if no key is EXECUTION, and the output names similar keys', async () => {
    const log = [
      '2024-05-06T06:00:00Z|execution_state|ACTIVE|parts_made|10',
      '2024-05-06T06:30:00Z|execution_state|READY',
    ]
    const { code, lines } = await replay('Unknown', items, log)
    assert.equal(code, 2)
    assert.includeMembers(lines, [
      'samples of unknown keys: execution_state 2 (ACTIVE), parts_made 1 (10)',
      'state: none',
      'parts (counter): none',
      'PROBLEM: No key of type EXECUTION has a sample: the machine is UNAVAILABLE; keys with such values: execution_state',
    ])
    assert.equal((await replay('Empty', items, [])).code, 2)
  })

  it('The exit code of a replay is 3 if lines, values or samples are not understood', async () => {
    const { code, lines } = await replay('Odd', items, [
      '2024-05-06T06:00:00Z|exec|RUNNING',
      'exec|ACTIVE',
      '2024-05-06T06:00:01Z|@ASSET@|id|xml',
      '2024-05-06T06:00:02Z|exec|ACTIVE',
      '9999-05-06T06:00:02Z|exec|ACTIVE',
    ])
    assert.equal(code, 3)
    assert.includeMembers(lines, [
      'lines read: 5, of which skipped: 2',
      'samples rejected: future_timestamp 1',
      'PROBLEM: EXECUTION has values that MTConnect does not have, which count as not in cycle: RUNNING',
      'PROBLEM: 1 line is not SHDR: line 2: exec|ACTIVE',
    ])
  })

  const day = '2024-05-06T06:'
  const logs: readonly {
    readonly title: string
    readonly machine: string
    readonly dataItems?: string
    readonly log: readonly string[]
    readonly prints: readonly string[]
    readonly parts: number
  }[] = [
    {
      title: 'A log may name data items by Source text and id',
      machine: 'SrcMill',
      dataItems: `
        <DataItem id="x1" category="EVENT" type="EXECUTION"><Source>execution_state</Source></DataItem>
        <DataItem id="x2" category="EVENT" type="PART_COUNT"><Source dataItemId="foo">parts_made</Source></DataItem>
        <DataItem id="c1" name="Sspeed" category="SAMPLE" type="SPINDLE_SPEED" subType="ACTUAL"><Source>spindle_speed</Source></DataItem>`,
      log: [
        `${day}00:00Z|execution_state|ACTIVE|parts_made|10`,
        `${day}20:00Z|x2|12|spindle_speed|3000`,
        `${day}30:00Z|execution_state|READY|spindle_speed|0`,
      ],
      prints: ['samples of unknown keys: none', 'spindle: Sspeed (SPINDLE_SPEED) 2'],
      parts: 2,
    },
    {
      title: 'A log may name the device before a key, and observations of other devices are not sent',
      machine: 'DevKey',
      log: [
        `${day}00:00Z|DevKey:exec|ACTIVE|DevKey:count|10|Second:exec|READY`,
        `${day}20:00Z|DevKey:count|12`,
        '* device: Second',
        `${day}25:00Z|exec|STOPPED`,
        `${day}30:00Z|DevKey:exec|READY`,
      ],
      prints: ['not sent, of other devices: Second 2', 'samples of unknown keys: none'],
      parts: 2,
    },
    {
      title: 'A quoted field of a log may contain pipes',
      machine: 'Quoted',
      log: [
        String.raw`${day}00:00Z|program|"O1234\|SUB"|exec|ACTIVE|count|10`,
        `${day}20:00Z|count|12`,
        `${day}30:00Z|exec|READY`,
      ],
      prints: [String.raw`samples of unknown keys: program 1 (O1234|SUB)`],
      parts: 2,
    },
    {
      title: 'A line of a log may have several conditions',
      machine: 'Cond2',
      log: [
        `${day}00:00Z|exec|ACTIVE`,
        `${day}10:00Z|servo|FAULT|414|||Servo overload|sys|WARNING|7|||Low oil`,
        `${day}12:00Z|sys|FAULT||||no code`,
        `${day}20:00Z|servo|NORMAL||||`,
        `${day}30:00Z|exec|READY`,
      ],
      prints: ['alarms: servo (ACTUATOR) 2, sys (SYSTEM) 2'],
      parts: 0,
    },
    {
      title: 'Time series, alarms and asset events of a log give no other keys',
      machine: 'TSer',
      log: [
        `${day}00:00Z|exec|ACTIVE|count|10`,
        `${day}01:00Z|vib|5|100.5|1.1 1.2 1.3 1.4 1.5|`,
        `${day}01:10Z|vib|5|101.5|1.1 1.2 1.3 1.4 1.5`,
        `${day}02:00Z|alarm|OTHER|NC12|CRITICAL|ACTIVE|Spindle drive`,
        `${day}03:00Z|asset_chg|CuttingTool|T100.1`,
        `${day}20:00Z|count|12`,
        `${day}30:00Z|exec|READY`,
      ],
      prints: ['samples accepted: 8', 'samples of unknown keys: none'],
      parts: 2,
    },
    {
      title: 'Values of a log at one time stay in the order of the lines',
      machine: 'SameTs',
      log: [
        `${day}00:00.000Z|exec|READY`,
        `${day}00:00.000Z|exec|ACTIVE`,
        `${day}00:00.000Z|exec|ACTIVE`,
        `${day}30:00.000Z|exec|ACTIVE`,
        `${day}30:00.000Z|exec|STOPPED`,
        `${day}29:00.000Z|count|1`,
        `${day}28:00.000Z|count|1`,
      ],
      prints: [
        'samples accepted: 6',
        'duplicates (time and content of the previous sample of the key): 1',
        'samples with a time before that of the previous sample of the key: 1',
      ],
      parts: 0,
    },
  ]
  for (const { title, machine, dataItems = moreItems, log, prints, parts } of logs) {
    it(title, async () => {
      const { code, lines } = await replay(machine, dataItems, log)
      assert.includeMembers(lines, [...prints])
      assert.equal(code, 0, lines.join('\n'))
      assert.deepEqual(await reportOf(machine), { totalParts: parts, timeInCycle: 1_800_000 })
    })
  }

  it('Faults of lines are problems, with the lines and keys that have them', async () => {
    const { code, lines } = await replay('Faulty', moreItems, [
      `${day}00:00Z|exec|ACTIVE|count`,
      `${day}01:00Z|vib|5`,
      `${day}02:00Z|rate|1|2.5|x`,
    ])
    assert.equal(code, 3)
    assert.includeMembers(lines, [
      `PROBLEM: 2 lines lack a field of a key, the first ones: line 1: count in ${day}00:00Z|exec|ACTIVE|count, line 2: vib in ${day}01:00Z|vib|5`,
      `PROBLEM: 1 line has a field in place of a key: line 3: 2.5 in ${day}02:00Z|rate|1|2.5|x`,
    ])
  })

  it('A machine whose part count is DISCRETE is created with partCounter increment', async () => {
    const discrete = items.replace('type="PART_COUNT"', 'type="PART_COUNT" representation="DISCRETE"')
    const log = [
      '2024-05-06T06:00:00Z|exec|ACTIVE',
      ...['10', '20', '25'].map(minute => `2024-05-06T06:${minute}:00Z|count|1`),
    ]
    const created = await replay('Discrete', discrete, log)
    assert.equal(created.code, 0)
    assert.include(created.lines, 'parts (increment): count (PART_COUNT) 3')
    assert.equal(await totalParts('Discrete'), 3)

    await replay('Total', items, log)
    const again = await replay('Total', discrete, log)
    assert.equal(again.code, 3)
    assert.include(
      again.lines,
      'PROBLEM: count reports each part (DISCRETE), but partCounter of the machine is counter: set it to increment',
    )
  })
})
