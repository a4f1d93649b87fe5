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
      `<MTConnectDevices><Devices><Device name="${machine}"><DataItems>${dataItems}</DataItems></Device></Devices></MTConnectDevices>`,
    )
    writeFileSync(log, `${lines.join('\n')}\n`)
    const options = ['--devices', devices, '--machine', machine, '--url', service.url, '--key', testKey]
    const { stdout, code, stderr } = await builtCommand('replay', {}, ...options, log)
    return { code, lines: stdout.trim().split('\n'), stderr }
  }
  const totalParts = async (machine: string): Promise<unknown> => {
    await service.settled()
    const found = service.records.machines(service.companyId).find(({ name }) => name === machine)
    const { body } = await service.call('POST', '/reports/production', {
      start: '2024-05-06T06:00:00Z',
      end: '2024-05-06T07:00:00Z',
      data: [{ metric: 'totalParts' }],
      filter: { machine: [found?.id] },
    })
    return readAs<{ aggregate: Record<string, unknown> }>(body).aggregate['totalParts']
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
