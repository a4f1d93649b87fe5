import { expect } from 'chai'
import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { readDevices } from '../../../ingest/shdr/devices.ts'
import { readLines } from '../../../ingest/shdr/files.ts'
import { ShdrParser } from '../../../ingest/shdr/parser.ts'
import { replayLog, type ReplayOptions } from '../../../ingest/shdr/replay-log.ts'
import { toSample, type ReplaySample } from '../../../ingest/shdr/sample.ts'
import { logsOf } from '../../end-to-end/recorded-logs.ts'
import { dataItems, readLine } from '../../oracle/nist.ts'
import { recorded } from './nist.ts'
import { deviceWith } from './parsed.ts'

const device = deviceWith(
  `
  <DataItem id="x1" name="execution" category="EVENT" type="EXECUTION"/>
  <DataItem id="x2" name="Srpm" category="SAMPLE" type="ROTARY_VELOCITY" subType="ACTUAL"/>
  <DataItem id="x3" name="logic_cond" category="CONDITION" type="LOGIC_PROGRAM"/>
  <DataItem id="x4" name="note" category="EVENT" type="MESSAGE"/>`,
  'Mazak01',
)
const at = '2016-10-24T08:44:54.438772Z'

/** Parses a line whose time of receipt is unknown. */
const observationsOf = (line: string) => new ShdrParser({ devices: [device] }).parse(line, null)?.observations
const samplesOf = (line: string) => observationsOf(line)?.map(toSample)

describe('SHDR', () => {
  it('An SHDR line has one or several observations', () => {
    expect(samplesOf(`${at}|execution|ACTIVE| Srpm |1200.5`)).to.deep.equal([
      { timestamp: at, key: 'execution', type: 'EXECUTION', value: 'ACTIVE', category: 'EVENT' },
      { timestamp: at, key: 'Srpm', type: 'ROTARY_VELOCITY', subtype: 'ACTUAL', value: '1200.5', category: 'SAMPLE' },
    ])
    expect(samplesOf(`${at}|execution|`)?.[0]?.value).to.equal('')
  })

  it('An SHDR condition can contain any text', () => {
    const condition = { timestamp: at, key: 'logic_cond', type: 'LOGIC_PROGRAM', category: 'CONDITION' }
    expect(samplesOf(`${at}|logic_cond|Warning|237|9|HIGH|DOOR | OPENED`)).to.deep.equal([
      {
        ...condition,
        value: 'Warning',
        nativeCode: '237',
        nativeSeverity: '9',
        qualifier: 'HIGH',
        message: 'DOOR|OPENED',
      },
    ])
    expect(samplesOf(`${at}|logic_cond|Normal|237|||`)).to.deep.equal([
      { ...condition, value: 'Normal', nativeCode: '237' },
    ])
    expect(samplesOf(`${at}|logic_cond|Unavailable||||`)).to.deep.equal([{ ...condition, value: 'Unavailable' }])
  })

  it('An SHDR line can be a message', () => {
    const message = { timestamp: at, key: 'note', type: 'MESSAGE', category: 'EVENT' }
    expect(samplesOf(`${at}|note|17|Change tool`)).to.deep.equal([
      { ...message, value: 'Change tool', nativeCode: '17' },
    ])
    expect(samplesOf(`${at}|note|UNAVAILABLE`)).to.deep.equal([{ ...message, value: 'UNAVAILABLE' }])
  })

  it('Keys that the device does not define get a category by the form of their line', () => {
    expect(samplesOf(`${at}|Fact|12.5`)?.[0]).to.include({ type: 'FACT', category: 'SAMPLE' })
    expect(samplesOf(`${at}|move|fast`)?.[0]).to.include({ type: 'MOVE', category: 'EVENT' })
    expect(samplesOf(`${at}|servo|Fault|B6|||Stop`)?.[0]).to.include({
      type: 'SERVO',
      category: 'CONDITION',
      nativeCode: 'B6',
    })
  })

  it('SHDR lines without observations are skipped', () => {
    for (const line of ['* PING', '', '|execution|ACTIVE', at, `${at}|execution`, `${at}|@ASSET@|id|xml`]) {
      expect(observationsOf(line), line).to.deep.equal([])
    }
    expect(samplesOf('2016-10-24T08:44:54Z@100.0|Srpm|1')?.[0]?.timestamp).to.equal('2016-10-24T08:44:54Z')
  })
})

async function* given(lines: readonly string[]): AsyncIterable<string | null> {
  yield* lines
}

/** Returns the lines up to the one that gives this number of samples, if each line gives one. */
async function* firstLines(lines: AsyncIterable<string | null>, samples: number): AsyncIterable<string | null> {
  let read = 0
  for await (const line of lines) {
    yield line
    if (line?.startsWith('*') === false && ++read === samples) return
  }
}

/** Replays into memory, with a clock of its own. */
async function replay(lines: AsyncIterable<string | null>, options: Partial<ReplayOptions> = {}) {
  const sent: { atMs: number; samples: readonly ReplaySample[] }[] = []
  let clockMs = 0
  const summary = await replayLog({
    lines,
    device,
    rebaseToMs: null,
    speed: null,
    send: async samples => {
      sent.push({ atMs: clockMs, samples })
      return { accepted: samples.length, rejected: [], rejectedCount: 0, rejectedByCode: {} }
    },
    onProgress: () => undefined,
    now: () => clockMs,
    sleep: async durationMs => (clockMs += durationMs),
    ...options,
  })
  return { sent, summary, samples: sent.flatMap(({ samples }) => samples) }
}

describe('replay', () => {
  const log = [
    '2016-10-06T23:06:07.138151Z|Srpm|UNAVAILABLE',
    '2016-10-24T08:00:00.000Z|execution|UNAVAILABLE',
    '2016-10-24T09:00:00.500Z|execution|READY',
    '* PING',
    '2016-10-24T09:00:01.2500019Z|Srpm|100',
    '2016-10-24T09:00:05Z|Xabs|1',
  ]

  it('A replay sends a log unchanged, in batches', async () => {
    const { samples, summary, sent } = await replay(given(log), { batchSize: 2 })
    expect(samples.map(({ timestamp }) => timestamp)).to.deep.equal(
      log.filter(line => line.startsWith('2')).map(line => line.split('|')[0]),
    )
    expect(sent.map(batch => batch.samples.length)).to.deep.equal([2, 2, 1])
    expect(summary).to.deep.equal({
      lines: 6,
      passedOver: 1,
      accepted: 5,
      rejected: {},
      unknownKeys: { Xabs: 1 },
      otherDevices: {},
      duplicates: 0,
      backwards: 0,
    })
  })

  it('A replay can move a log so that the data after its snapshot starts at a given instant', async () => {
    const { samples } = await replay(given(log), { rebaseToMs: Date.parse('2024-05-06T06:00:00Z') })
    expect(samples.map(({ timestamp }) => timestamp)).to.deep.equal([
      '2024-04-18T20:06:06.638151Z',
      '2024-05-06T04:59:59.500000Z',
      '2024-05-06T06:00:00.000000Z',
      '2024-05-06T06:00:00.750001Z',
      '2024-05-06T06:00:04.500000Z',
    ])
  })

  it('A replay takes the time of the recording divided by the speed', async () => {
    const { sent } = await replay(given(log), { speed: 2 })
    expect(sent.map(({ atMs, samples }) => [atMs, samples.length])).to.deep.equal([
      [0, 3],
      [1_000, 1],
      [3_000, 1],
    ])
  })

  it('The summary of a replay counts duplicates, earlier times and observations of other devices', async () => {
    const other = deviceWith('<DataItem id="x1" name="execution" category="EVENT" type="EXECUTION"/>', 'Mazak03')
    const lines = [
      `${at}|execution|READY`,
      `${at}|execution|READY|Mazak03:execution|ACTIVE`,
      '* device: Saw',
      `${at}|Srpm|1`,
    ]
    const last = ['* device: Mazak01', '2016-10-24T08:00:00Z|execution|ACTIVE']
    const { samples, summary } = await replay(given([...lines, ...last]), { devices: [device, other] })
    expect(samples.map(({ key, value }) => [key, value])).to.deep.equal([
      ['execution', 'READY'],
      ['execution', 'ACTIVE'],
    ])
    expect(summary).to.deep.include({
      passedOver: 3,
      duplicates: 1,
      backwards: 1,
      otherDevices: { Mazak03: 1, Saw: 1 },
    })
  })

  it('The summary of a replay counts rejected samples by code', async () => {
    const rejected = [{ index: 0, code: 'past_timestamp', message: '' } as const]
    const answer = { accepted: 4, rejected, rejectedCount: 101, rejectedByCode: { past_timestamp: 101 } }
    const { summary } = await replay(given(log), { send: async () => answer })
    expect(summary).to.deep.include({ accepted: 4, rejected: { past_timestamp: 101 } })
  })
})

describe('recorded logs', () => {
  it('The recorded devices are read with their names, models and data items', async function () {
    const devices = readDevices(await readFile(recorded(this, 'Devices.xml'), 'utf8'))
    const names = ['GFAgie01', 'Mazak01', 'Mazak03', 'Hurco01', 'Hurco02', 'Hurco03', 'Hurco04', 'Hurco06']
    expect(devices.map(({ name }) => name)).to.deep.equal(names)
    const mazak = devices[1]
    expect(mazak).to.include({ make: 'Mazak', model: 'Integrex' })
    expect(mazak?.items.get('Srpm')).to.deep.equal({
      id: 'Mazak01-C_5',
      path: null,
      key: 'Srpm',
      type: 'ROTARY_VELOCITY',
      subtype: 'ACTUAL',
      category: 'SAMPLE',
      form: 'value',
    })
    expect(mazak?.items.get('Mazak01-dtop_1')).to.deep.equal({
      id: 'Mazak01-dtop_1',
      path: null,
      key: 'avail',
      type: 'AVAILABILITY',
      subtype: '',
      category: 'EVENT',
      form: 'value',
    })
    expect(mazak?.items.get('servo_cond')).to.deep.equal({
      id: 'Mazak01-base_1',
      path: null,
      key: 'servo_cond',
      type: 'ACTUATOR',
      subtype: '',
      category: 'CONDITION',
      form: 'condition',
    })
  })

  const starts = {
    'GFAgie01-20161109-20161110': '2016-11-09T09:48:03.493',
    'Hurco01-20170518-20170519': '2017-05-18T08:57:45.4375',
    'Mazak01-20161024-20161025': '2016-10-24T08:44:54.004',
    'Mazak03-20170613-20170614': '2017-06-13T10:51:22.967',
  }
  for (const [file, start] of Object.entries(starts)) {
    it(`The recorded log ${file} is replayed from the end of its snapshot`, async function () {
      const path = recorded(this, `${file}.shdr.gz`)
      const devices = readDevices(await readFile(recorded(this, 'Devices.xml'), 'utf8'))
      const found = devices.find(({ name }) => file.startsWith(name))
      if (!found) throw new Error(`no device for ${file}`)
      const rebaseToMs = Date.parse('2024-05-06T06:00:00Z')
      const { samples, summary } = await replay(readLines([path]), { device: found, rebaseToMs })
      expect(summary.passedOver).to.equal(0)
      expect(samples).to.have.length(summary.accepted)
      const first = samples.findIndex(({ timestamp }) => timestamp === '2024-05-06T06:00:00.000000Z')
      const begin = firstLines(readLines([path]), first + 1)
      const plain = (await replay(begin, { device: found })).samples[first]
      expect(plain?.timestamp.startsWith(start), plain?.timestamp).to.equal(true)
    })
  }
})

describe('recorded logs and an independent reader', () => {
  /** The reader keeps blanks and empty texts. */
  const trimmed = (sample: object = {}) =>
    Object.fromEntries(
      Object.entries(sample).flatMap(([field, text]) => (text.trim() === '' ? [] : [[field, text.trim()]])),
    )

  for (const name of ['GFAgie01', 'Mazak01', 'Mazak03', 'Hurco01']) {
    it(`Each recorded line of ${name} gives the sample that an independent reader gives`, async function () {
      const xml = await readFile(recorded(this, 'Devices.xml'), 'utf8')
      const items = dataItems(xml).get(name) ?? new Map<string, never>()
      const found = readDevices(xml).find(device => device.name === name)
      if (!found) throw new Error(`no device ${name}`)
      const parser = new ShdrParser({ devices: [found] })
      const others = new Set<string>()
      const differing: unknown[] = []
      for await (const line of readLines(logsOf(name))) {
        const { machineId: _, ...expected } = readLine(line ?? '', name, items)
        const parsed = parser.parse(line, null)
        const [sample] = parsed?.observations.map(toSample) ?? []
        const isSame = parsed?.faults.length === 0 && parsed.observations.length === 1
        if (!items.has(expected.key)) others.add(`${expected.key} ${sample?.key} ${sample?.type}`)
        else if (!isSame || !isDeepStrictEqual(trimmed(sample), trimmed(expected))) differing.push([line, sample])
      }
      expect(differing.slice(0, 5)).to.deep.equal([])
      const named = [...others].filter(other => !/^(?<key>\S+) \k<key> /.test(other))
      expect(named).to.deep.equal(name === 'Mazak01' ? ['Mazak01-dtop_1 avail AVAILABILITY'] : [])
    })
  }
})
