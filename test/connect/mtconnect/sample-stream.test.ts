import { assert } from 'chai'
import { createHash } from 'node:crypto'
import type { StreamPosition } from '../../../connect/mtconnect/position.ts'
import type { MachineSource } from '../../../connect/mtconnect/machine-items.ts'
import type { SampleStreamOptions } from '../../../connect/mtconnect/sample-stream.ts'
import type { WireSample } from '../../../schema/topics.ts'
import { described, devicesWith, machineId, streamOf, streams, time, type Written } from './documents.ts'

/** Applies the observations of one `sample` document after an empty `current`; returns the samples as texts. */
function read(
  observations: readonly Omit<Written, 'sequence'>[],
  options: Partial<SampleStreamOptions> = {},
): readonly string[] {
  return samplesOf(observations, options).map(described)
}

function samplesOf(observations: readonly Omit<Written, 'sequence'>[], options: Partial<SampleStreamOptions> = {}) {
  const stream = streamOf(options)
  stream.apply(streams({ next: 1 }), 'current')
  const numbered = observations.map((one, i) => ({ ...one, sequence: i + 1 }))
  return stream.apply(streams({ next: numbered.length + 1, observations: numbered }), 'sample').samples
}

const condition = (value: string, ms: number, attributes: Readonly<Record<string, string>> = {}) => ({
  id: 'sys',
  ms,
  value,
  attributes,
})
const exec = (value: string, ms: number) => ({ id: 'exec', ms, value })

describe('MTConnect samples', () => {
  describe('values', () => {
    it('An observation becomes a sample with the names of its data item and the number of the observation', () => {
      const run = Number.parseInt(createHash('sha256').update('agent\n1').digest('hex').slice(0, 13), 16)
      const [speed, execution] = samplesOf([{ id: 'speed', ms: 1, value: '12.50' }, exec('ACTIVE', 2)])
      assert.deepEqual(speed, {
        machineId,
        instanceId: run,
        sequence: 1,
        timestamp: time(1),
        key: 'speed',
        type: 'ROTARY_VELOCITY',
        subtype: 'ACTUAL',
        value: '12.50',
        category: 'SAMPLE',
      })
      assert.deepEqual(execution, {
        machineId,
        instanceId: run,
        sequence: 2,
        timestamp: time(2),
        key: 'execution',
        type: 'EXECUTION',
        value: 'ACTIVE',
        category: 'EVENT',
      })
    })

    it('A key is the name only if it is unique in the device, and a statistic follows it', () => {
      assert.deepEqual(
        read([
          { id: 'speed', value: '1' },
          { id: 'avg', value: '2' },
          { id: 'pos', value: '1 2 3' },
        ]),
        ['speed 0 1 #1', 'avg.AVERAGE 0 2 #2', 'pos 0 1 2 3 #3'],
      )
    })

    it('A time series becomes its last value, a message has its code, and an asset event is the id of the asset', () => {
      assert.deepEqual(
        read([
          { id: 'vib', value: '1 2 \n3.5' },
          { id: 'vib', value: 'UNAVAILABLE' },
          { id: 'note', value: 'Door | open', attributes: { nativeCode: '7' } },
          { id: 'asset', value: 'tool-1', attributes: { assetType: 'CuttingTool' } },
        ]),
        ['vib 0 3.5 #1', 'vib 0 UNAVAILABLE #2', 'note 0 Door | open 7 #3', 'asset 0 tool-1 #4'],
      )
    })

    it('Times keep their digits, unless an offset applies', () => {
      const observation = { id: 'exec', timestamp: '2024-05-06T08:00:00.1234567+02:00', value: 'READY' }
      assert.equal(samplesOf([observation])[0]?.timestamp, observation.timestamp)
      assert.equal(samplesOf([observation], { timeOffsetMs: -100 })[0]?.timestamp, '2024-05-06T06:00:00.023456Z')
      const machines = [{ source: 'Mill', machineId, timeOffsetMs: 50 }]
      assert.equal(
        samplesOf([observation], { timeOffsetMs: -100, machines })[0]?.timestamp,
        '2024-05-06T06:00:00.073456Z',
      )
    })

    it('With time received, the creationTime replaces all times', () => {
      const stream = streamOf({ time: 'received', timeOffsetMs: 1 })
      const observations = [
        { ...exec('READY', 5), sequence: 1 },
        { id: 'exec', timestamp: '', value: 'ACTIVE', sequence: 2 },
      ]
      const { samples } = stream.apply(streams({ next: 3, createdMs: 40, observations }), 'current')
      assert.deepEqual(samples.map(described), ['execution 41 READY #1', 'execution 41 ACTIVE #2'])
    })

    it('An observation without a readable time stops no other one', () => {
      const stream = streamOf()
      const observations = [
        { id: 'exec', timestamp: 'x', value: 'READY', sequence: 1 },
        { ...exec('ACTIVE', 1), sequence: 2 },
      ]
      assert.deepEqual(stream.apply(streams({ next: 3, observations }), 'current').samples.map(described), [
        'execution 1 ACTIVE #2',
      ])
      assert.equal(stream.totals.invalid, 1)
    })

    it('A sequence above 2^53 - 1 gives samples without numbers, and reading continues after it', () => {
      const stream = streamOf()
      const big = '9007199254740993'
      stream.apply(streams({ next: big }), 'current')
      const observations = [{ ...exec('READY', 1), sequence: big }]
      const { samples } = stream.apply(streams({ next: '9007199254740994', observations }), 'sample')
      assert.deepEqual(samples.map(described), ['execution 1 READY'])
      assert.equal(streamOf({}, stream.position()).next, 9_007_199_254_740_994n)
    })
  })

  describe('conditions', () => {
    it('A condition has its level, code, message, severity and qualifier', () => {
      const attributes = { nativeCode: '7', nativeSeverity: '3', qualifier: 'HIGH', message: 'hot' }
      const [sample] = samplesOf([condition('Fault', 1, attributes)])
      assert.include(sample, {
        value: 'Fault',
        nativeCode: '7',
        nativeSeverity: '3',
        qualifier: 'HIGH',
        message: 'hot',
      })
    })

    it('The code is the nativeCode, otherwise the conditionId', () => {
      assert.deepEqual(read([condition('Fault', 1, { conditionId: 'a' }), condition('Warning', 2)]), [
        'system 1 Fault a #1',
        'system 2 Warning #2',
      ])
    })

    it('The level of a code is the worst of its ids, and only its changes become samples', () => {
      const by = (conditionId: string, message = conditionId) => ({ conditionId, nativeCode: '5', message })
      const samples = samplesOf([
        condition('Warning', 1, by('a')),
        condition('Fault', 2, by('b')),
        condition('Warning', 3, by('c')),
        condition('Fault', 4, by('a')),
        condition('Normal', 5, by('b')),
        condition('Normal', 6, by('a')),
        condition('Normal', 7, by('c')),
      ])
      assert.deepEqual(samples.map(described), [
        'system 1 Warning 5 #1',
        'system 2 Fault 5 #2',
        'system 6 WARNING 5 #6',
        'system 7 Normal 5 #7',
      ])
      assert.equal(samples[2]?.message, 'c')
    })

    it('A repeated level of the only id is a sample, with its new message', () => {
      const by = (message: string) => ({ nativeCode: '5', message })
      const samples = samplesOf([condition('Fault', 1, by('a')), condition('Fault', 2, by('b'))])
      assert.deepEqual(
        samples.map(({ message }) => message),
        ['a', 'b'],
      )
    })

    it('If an id gets another code, the old code ends or falls without a number', () => {
      const by = (conditionId: string, nativeCode: string) => ({ conditionId, nativeCode })
      assert.deepEqual(read([condition('Fault', 1, by('a', '5')), condition('Fault', 2, by('a', '6'))]), [
        'system 1 Fault 5 #1',
        'system 2 NORMAL 5',
        'system 2 Fault 6 #2',
      ])
      const fall = [
        condition('Fault', 1, by('a', '5')),
        condition('Warning', 2, by('b', '5')),
        condition('Fault', 3, by('a', '6')),
      ]
      assert.deepEqual(read(fall), ['system 1 Fault 5 #1', 'system 3 WARNING 5', 'system 3 Fault 6 #3'])
    })

    it('The end of an old code is after the sample that raised it, also at the same time', () => {
      const by = (nativeCode: string) => ({ conditionId: 'a', nativeCode })
      assert.deepEqual(read([condition('Fault', 1, by('5')), condition('Fault', 1, by('6'))]), [
        'system 1 Fault 5 #1',
        'system 1.001 NORMAL 5',
        'system 1 Fault 6 #2',
      ])
    })

    it('Normal without a code and Unavailable end all ids', () => {
      for (const end of ['Normal', 'Unavailable']) {
        const first = [
          condition('Fault', 1, { nativeCode: '5' }),
          condition('Fault', 2, { conditionId: 'b', nativeCode: '5' }),
        ]
        assert.deepEqual(read([...first, condition(end, 3), condition('Warning', 4, { nativeCode: '5' })]), [
          'system 1 Fault 5 #1',
          `system 3 ${end} #3`,
          'system 4 Warning 5 #4',
        ])
      }
    })
  })

  describe('data sets and tables', () => {
    const entry = (key: string, value: string) => `<Entry key="${key}">${value}</Entry>`
    const removed = (key: string) => `<Entry key="${key}" removed="true"/>`
    const vars = (entries: string, attributes = {}) => ({ id: 'vars', entries, attributes })

    it('A data set becomes all its entries, and a removed one is null', () => {
      assert.deepEqual(
        read([
          vars(entry('T1', '12') + entry('T2', 'a b')),
          vars(entry('T1', '13')),
          vars(removed('T2')),
          vars(entry('T3', '1'), { resetTriggered: 'MANUAL' }),
          { id: 'vars', value: 'UNAVAILABLE' },
          vars(entry('T4', '')),
        ]),
        [
          'vars 0 {"T1":12,"T2":"a b"} #1',
          'vars 0 {"T1":13,"T2":"a b"} #2',
          'vars 0 {"T1":13,"T2":null} #3',
          'vars 0 {"T3":1} #4',
          'vars 0 UNAVAILABLE #5',
          'vars 0 {"T4":""} #6',
        ],
      )
    })

    it('A table becomes its rows', () => {
      const row = (key: string, cells: string) => `<Entry key="${key}">${cells}</Entry>`
      assert.deepEqual(read([{ id: 'work', entries: row('G54', '<Cell key="X">1.5</Cell><Cell key="Y">a</Cell>') }]), [
        'work 0 {"G54":{"X":1.5,"Y":"a"}} #1',
      ])
    })

    it('A data set above 16,384 characters becomes TOO_LONG until it is shorter', () => {
      const stream = streamOf()
      stream.apply(streams({ next: 1 }), 'current')
      const long = { sequence: 1, ...vars(entry('a', 'x'.repeat(16_400)) + entry('b', '1')) }
      const { samples } = stream.apply(
        streams({ next: 3, observations: [long, { sequence: 2, ...vars(removed('a')) }] }),
        'sample',
      )
      assert.deepEqual(
        samples.map(({ value }) => value),
        ['TOO_LONG', '{"b":1,"a":null}'],
      )
      assert.equal(stream.totals.tooLong, 1)
    })

    it('Entries that the mapping names become samples of their own', () => {
      const machines = [{ source: 'Mill', machineId, expand: ['vars.T1', 'vars.T2', 'work.G54'] }]
      assert.deepEqual(
        read(
          [
            vars(entry('T1', '12') + entry('T2', 'a') + entry('T3', '1')),
            vars(entry('T3', '2')),
            vars(removed('T1')),
            vars(entry('T1', '5'), { resetTriggered: 'DAY' }),
            { id: 'vars', value: 'UNAVAILABLE' },
          ],
          { machines },
        ),
        [
          'vars 0 {"T1":12,"T2":"a","T3":1} #1',
          'vars.T1 0 12 #1',
          'vars.T2 0 a #1',
          'vars 0 {"T1":12,"T2":"a","T3":2} #2',
          'vars 0 {"T2":"a","T3":2,"T1":null} #3',
          'vars.T1 0 UNAVAILABLE #3',
          'vars 0 {"T1":5} #4',
          'vars.T1 0 5 #4',
          'vars.T2 0 UNAVAILABLE #4',
          'vars 0 UNAVAILABLE #5',
          'vars.T1 0 UNAVAILABLE #5',
          'vars.T2 0 UNAVAILABLE #5',
        ],
      )
    })

    it('Entries that the settings name later have gap markers too', () => {
      const stream = (expand: readonly string[], position: StreamPosition | null) =>
        streamOf({ machines: [{ source: 'Mill', machineId, expand }] }, position)
      const first = stream([], null)
      first.apply(streams({ next: 1 }), 'current')
      const one = { ...vars(entry('T1', '12')), sequence: 1 }
      first.apply(streams({ next: 2, observations: [one] }), 'sample')
      const second = stream(['vars.T1'], first.position())
      second.apply(streams({ next: 3, observations: [{ ...vars(entry('T1', '13')), sequence: 2 }] }), 'sample')
      const { samples } = second.apply(streams({ instanceId: '2', next: 1, createdMs: 5 }), 'current')
      assert.deepEqual(
        samples.map(({ key, value }) => `${key} ${value}`),
        ['vars UNAVAILABLE', 'vars.T1 UNAVAILABLE'],
      )
    })
  })

  describe('restated values', () => {
    it('After UNAVAILABLE, values with earlier times are restated until a later time', () => {
      assert.deepEqual(
        read([
          exec('UNAVAILABLE', 100),
          exec('ACTIVE', 50),
          exec('READY', 60),
          exec('ACTIVE', 200),
          exec('READY', 150),
        ]),
        [
          'execution 100 UNAVAILABLE #1',
          'execution 50 ACTIVE #2',
          'execution 100.001 ACTIVE',
          'execution 60 READY #3',
          'execution 100.002 READY',
          'execution 200 ACTIVE #4',
          'execution 150 READY #5',
        ],
      )
    })

    it('Conditions are restated, NORMAL included', () => {
      const fault = condition('Fault', 50, { nativeCode: '1' })
      assert.deepEqual(read([condition('Unavailable', 100), fault, condition('Normal', 100)]), [
        'system 100 Unavailable #1',
        'system 50 Fault 1 #2',
        'system 100.001 Fault 1',
        'system 100 Normal #3',
        'system 100.002 Normal',
      ])
    })

    it('A code of a condition is restated although another code has a later time', () => {
      const by = (nativeCode: string) => ({ nativeCode })
      assert.deepEqual(
        read([condition('Unavailable', 100), condition('Fault', 120, by('2')), condition('Fault', 50, by('1'))]),
        ['system 100 Unavailable #1', 'system 120 Fault 2 #2', 'system 50 Fault 1 #3', 'system 100.001 Fault 1'],
      )
    })

    it('Numbers, discrete items, messages, data sets and samples are not restated', () => {
      const ids = ['count', 'part', 'note', 'prog', 'speed', 'asset']
      const observations = ids.flatMap(id => [
        { id, ms: 100, value: 'UNAVAILABLE' },
        { id, ms: 50, value: '7' },
      ])
      assert.lengthOf(
        read([
          ...observations,
          { id: 'vars', value: 'UNAVAILABLE', ms: 100 },
          { id: 'vars', entries: '<Entry key="a">1</Entry>' },
        ]),
        14,
      )
    })

    it('After UNAVAILABLE, a discrete observation that was delivered before is skipped', () => {
      const part = (ms: number, value: string) => ({ id: 'part', ms, value })
      assert.deepEqual(
        read([
          part(10, '1'),
          part(10, '1'),
          part(20, '1'),
          part(100, 'UNAVAILABLE'),
          part(20, '1'),
          part(10, '1'),
          part(30, '1'),
          part(20, '2'),
        ]),
        ['part 10 1 #1', 'part 10 1 #2', 'part 20 1 #3', 'part 100 UNAVAILABLE #4', 'part 30 1 #7', 'part 20 2 #8'],
      )
    })
  })

  describe('losses', () => {
    const start = [
      { ...exec('ACTIVE', 10), sequence: 1 },
      { id: 'mode', ms: 11, value: 'AUTOMATIC', sequence: 2 },
      { ...condition('Fault', 12, { nativeCode: '1' }), sequence: 3 },
      { ...condition('Fault', 13, { nativeCode: '2' }), sequence: 4 },
      { id: 'speed', ms: 14, value: '5', sequence: 5 },
    ]

    it('An overrun marks a gap only for changed items, and continues at firstSequence', () => {
      const stream = streamOf()
      stream.apply(streams({ next: 6, createdMs: 20, observations: start }), 'current')
      const header = { first: 100, next: 120, createdMs: 90 }
      assert.equal(stream.apply(streams({ ...header, observations: [] }), 'sample').situation, 'overrun')
      assert.equal(stream.next, 6)
      const current = [
        { ...exec('READY', 50), sequence: 50 },
        { id: 'mode', ms: 11, value: 'AUTOMATIC', sequence: 2 },
        { ...condition('Fault', 13, { nativeCode: '2' }), sequence: 4 },
        { ...condition('Warning', 60, { nativeCode: '3' }), sequence: 60 },
        { id: 'speed', ms: 85, value: '6', sequence: 110 },
      ]
      const { situation, samples } = stream.apply(streams({ ...header, observations: current }), 'current')
      assert.equal(situation, 'overrun')
      assert.deepEqual(samples.map(described), [
        'execution 20.001 UNAVAILABLE',
        'system 20.001 NORMAL 1',
        'execution 50 READY #50',
        'system 60 Warning 3 #60',
      ])
      assert.equal(stream.next, 100)
      assert.include(stream.totals, { gaps: 1, lost: 94 })
    })

    it('After an overrun, the changes of a data set apply to its present entries', () => {
      const entries = (a: number, b: number) => `<Entry key="a">${a}</Entry><Entry key="b">${b}</Entry>`
      const stream = streamOf()
      const first = { id: 'vars', ms: 1, sequence: 1, entries: entries(1, 1) }
      stream.apply(streams({ next: 2, createdMs: 20, observations: [first] }), 'current')
      const present = { id: 'vars', ms: 60, sequence: 60, entries: entries(5, 6) }
      const { samples } = stream.apply(streams({ first: 50, next: 61, observations: [present] }), 'current')
      assert.deepEqual(samples.map(described), ['vars 20.001 UNAVAILABLE'])
      const change = { id: 'vars', ms: 60, sequence: 60, entries: '<Entry key="b">6</Entry>' }
      const read = stream.apply(streams({ first: 50, next: 61, observations: [change] }), 'sample').samples
      assert.deepEqual(read.map(described), ['vars 60 {"a":5,"b":6} #60'])
    })

    it('If the code that is empty ended in an overrun, the active codes are raised again', () => {
      const stream = streamOf()
      const observations = [
        { ...condition('Fault', 12, {}), sequence: 1 },
        { ...condition('Warning', 13, { nativeCode: '2', message: 'm' }), sequence: 2 },
      ]
      stream.apply(streams({ next: 3, createdMs: 20, observations }), 'current')
      const { samples } = stream.apply(streams({ first: 9, next: 9, observations: observations.slice(1) }), 'current')
      assert.deepEqual(samples.map(described), ['system 20.001 NORMAL', 'system 20.001 WARNING 2'])
      assert.equal(samples[1]?.message, 'm')
    })

    describe('of a connector that was killed after its position was stored', () => {
      const stored = () => {
        const stream = streamOf()
        stream.apply(streams({ next: 6, createdMs: 20, observations: start }), 'current')
        return stream.position()
      }
      const present = [
        { ...exec('READY', 50), sequence: 110 },
        { ...condition('Fault', 60, { nativeCode: '3' }), sequence: 60 },
      ]
      const current = (createdMs: number) => streams({ first: 100, next: 120, createdMs, observations: present })
      const sample = (next: number, observations: readonly Written[]) =>
        streams({ first: 100, next, createdMs: 96, observations })

      it('The present states are repeated although the connection breaks before the end of the buffer', () => {
        const first = streamOf({ isBehind: true }, stored())
        first.apply(current(90), 'current')
        first.apply(sample(105, []), 'sample')
        const second = streamOf({ isBehind: true }, first.position())
        assert.deepEqual(second.apply(current(95), 'current').samples, [])
        assert.isDefined(second.position()?.repeatFrom)
        const { samples } = second.apply(sample(120, [{ ...exec('READY', 50), sequence: 110 }]), 'sample')
        assert.deepEqual(samples.map(described), [
          'execution 50 READY #110',
          'system 95.001 NORMAL',
          'system 95.001 FAULT 3',
          'execution 50 READY #110',
          'execution 95.003 READY',
        ])
        assert.isUndefined(second.position()?.repeatFrom)
        const third = streamOf({ isBehind: true }, second.position())
        assert.deepEqual(third.apply(current(97), 'current').samples, [])
      })

      it('A condition that ends by a clock that is behind ends after its repeated level', () => {
        const stream = streamOf({ isBehind: true }, stored())
        stream.apply(current(3_600_000), 'current')
        stream.apply(sample(120, [{ ...exec('READY', 50), sequence: 110 }]), 'sample')
        const ended = { ...condition('Normal', 99, { nativeCode: '3' }), sequence: 120 }
        assert.deepEqual(stream.apply(sample(121, [ended]), 'sample').samples.map(described), [
          'system 99 Normal 3 #120',
          'system 3600000.002 Normal 3',
        ])
      })
    })

    it('A gap marker is after the contact and all samples of the machine', () => {
      const stream = streamOf()
      stream.apply(
        streams({ next: 2, createdMs: 20, observations: [{ ...exec('ACTIVE', 30), sequence: 1 }] }),
        'current',
      )
      const { samples } = stream.apply(streams({ instanceId: '2', next: 1 }), 'current')
      assert.deepEqual(samples.map(described), ['execution 30.001 UNAVAILABLE'])
    })

    it('A time that ingest rejects delays neither gap markers nor restated values', () => {
      const receivedUs = Date.parse(time(20)) * 1000
      const stream = streamOf()
      stream.apply(streams({ next: 1 }), 'current', 0, receivedUs)
      const observations = [
        { ...exec('UNAVAILABLE', 172_800_000), sequence: 1 },
        { ...exec('ACTIVE', 15), sequence: 2 },
      ]
      const read = stream.apply(streams({ next: 3, createdMs: 20, observations }), 'sample', 0, receivedUs)
      assert.lengthOf(read.samples, 2)
      const { samples } = stream.apply(streams({ instanceId: '2', next: 1 }), 'current', 0, receivedUs)
      assert.deepEqual(samples.map(described), ['execution 20.001 UNAVAILABLE'])
    })

    it('If the clock of the agent is more than a day ahead, a gap marker is after the samples of its adapters', () => {
      const receivedUs = Date.parse(time(20)) * 1000
      const [ahead, gone] = [172_800_000, 172_900_000]
      const stream = streamOf()
      stream.apply(streams({ next: 1, createdMs: ahead }), 'current', 0, receivedUs)
      const observations = [{ ...exec('ACTIVE', 15), sequence: 1 }]
      stream.apply(streams({ next: 2, createdMs: ahead, observations }), 'sample', 0, receivedUs)
      const restarted = streams({ instanceId: '2', next: 1, createdMs: gone })
      const { samples } = stream.apply(restarted, 'current', 0, receivedUs)
      assert.deepEqual(samples.map(described), ['execution 15.001 UNAVAILABLE'])
      // The value of that time is restated.
      const present = [{ ...exec('ACTIVE', 15), sequence: 1 }]
      const read = stream.apply(
        streams({ instanceId: '2', next: 2, createdMs: gone, observations: present }),
        'sample',
        0,
        receivedUs,
      )
      assert.deepEqual(read.samples.map(described), ['execution 15 ACTIVE #1', 'execution 15.002 ACTIVE'])
    })

    it('A restart marks a gap for all events and conditions, and continues at firstSequence of the new run', () => {
      const stream = streamOf()
      stream.apply(streams({ next: 6, createdMs: 20, observations: start }), 'current')
      assert.equal(stream.apply(streams({ instanceId: '2', first: 1, next: 3 }), 'sample').situation, 'restart')
      assert.equal(stream.next, 6)
      const restarted = stream.apply(streams({ instanceId: '2', first: 1, next: 3 }), 'current')
      assert.equal(restarted.situation, 'restart')
      assert.deepEqual(restarted.samples.map(described), [
        'execution 20.001 UNAVAILABLE',
        'mode 20.001 UNAVAILABLE',
        'system 20.001 UNAVAILABLE',
      ])
      assert.equal(stream.next, 1)
      const observations = [
        { ...exec('UNAVAILABLE', 40), sequence: 1 },
        { ...exec('ACTIVE', 10), sequence: 2 },
      ]
      const { samples } = stream.apply(streams({ instanceId: '2', next: 3, observations }), 'sample')
      assert.deepEqual(samples.map(described), [
        'execution 40 UNAVAILABLE #1',
        'execution 10 ACTIVE #2',
        'execution 40.001 ACTIVE',
      ])
    })

    it('A position above nextSequence is a restart, with another run in the numbers', () => {
      const stream = streamOf()
      const observations = [{ ...exec('ACTIVE', 10), sequence: 1 }]
      const run = (document: Parameters<typeof streams>[0], request: 'current' | 'sample') =>
        stream.apply(streams(document), request).samples[0]?.instanceId
      const first = run({ next: 9, observations }, 'current')
      assert.isUndefined(run({ next: 2 }, 'current'))
      const second = run({ next: 2, observations }, 'sample')
      assert.equal(second, Number.parseInt(createHash('sha256').update('agent#1\n1').digest('hex').slice(0, 13), 16))
      assert.notEqual(second, first)
    })

    it('Observations below the position are duplicates, and missing ones are holes unless the device is filtered', () => {
      for (const isFiltered of [false, true]) {
        const stream = streamOf({ isFiltered })
        stream.apply(streams({ next: 5 }), 'current')
        const observations = [3, 4, 6, 9].map(sequence => ({ id: 'exec', value: 'ACTIVE', sequence }))
        const { samples } = stream.apply(streams({ next: 12, observations }), 'sample')
        assert.lengthOf(samples, 2)
        assert.equal(stream.next, 12)
        assert.include(stream.totals, { duplicates: 2, holes: isFiltered ? 0 : 5 })
      }
    })

    it('The first connection delivers the present values, or those older than the buffer before it reads the buffer', () => {
      const observations = [{ ...exec('ACTIVE', 10), sequence: 7 }]
      const now = streamOf()
      assert.deepEqual(now.apply(streams({ first: 3, next: 9, observations }), 'sample').samples, [])
      assert.isNull(now.next)
      assert.lengthOf(now.apply(streams({ first: 3, next: 9, observations }), 'current').samples, 1)
      assert.equal(now.next, 9)
      const buffer = streamOf({ start: 'buffer' })
      const old = [{ id: 'mode', ms: 1, value: 'AUTOMATIC', sequence: 2 }, ...observations]
      assert.deepEqual(
        buffer.apply(streams({ first: 3, next: 9, observations: old }), 'current').samples.map(described),
        ['mode 1 AUTOMATIC #2'],
      )
      assert.equal(buffer.next, 3)
    })

    it('A first connection may begin at the latest observations, and delivers the present values that are older', () => {
      const observations = [
        { id: 'mode', ms: 1, value: 'AUTOMATIC', sequence: 6 },
        { ...exec('ACTIVE', 10), sequence: 7 },
      ]
      const begin = (start: number) => {
        const stream = streamOf({ start })
        const { samples } = stream.apply(streams({ first: 3, next: 9, observations }), 'current')
        return [stream.next, samples.map(described)]
      }
      assert.deepEqual(begin(2), [7, ['mode 1 AUTOMATIC #6']])
      assert.deepEqual(begin(6), [3, []])
      assert.deepEqual(begin(20), [3, []])
    })

    it('A stream that is restored from its position gives the same samples, wherever it was cut', () => {
      const by = (conditionId: string, nativeCode: string) => ({ conditionId, nativeCode })
      const steps: readonly Omit<Written, 'sequence'>[] = [
        condition('Fault', 10, by('a', '5')),
        condition('Warning', 10, by('b', '5')),
        condition('Fault', 10, by('a', '6')),
        { id: 'vars', ms: 11, entries: '<Entry key="T1">1</Entry><Entry key="T2">2</Entry>' },
        { id: 'vars', ms: 12, entries: '<Entry key="T1" removed="true"/>' },
        { id: 'part', ms: 13, value: '1' },
        { id: 'part', ms: 20, value: 'UNAVAILABLE' },
        { id: 'part', ms: 13, value: '1' },
        exec('UNAVAILABLE', 30),
        exec('ACTIVE', 14),
        exec('READY', 15),
        condition('Normal', 31, by('b', '5')),
        condition('Normal', 32, by('a', '6')),
      ]
      const documents = steps.map((one, i) =>
        streams({ next: i + 2, createdMs: 0, observations: [{ ...one, sequence: i + 1 }] }),
      )
      const restart = streams({ instanceId: '2', next: 1 })
      const run = (cut: number) => {
        let stream = streamOf()
        stream.apply(streams({ next: 1, createdMs: 0 }), 'current')
        const samples = documents.flatMap((document, i) => {
          if (i === cut) stream = streamOf({}, stream.position())
          return stream.apply(document, 'sample').samples
        })
        if (cut === documents.length) stream = streamOf({}, stream.position())
        return [...samples, ...stream.apply(restart, 'current').samples]
      }
      const whole = run(-1)
      assert.lengthOf(whole, 18)
      for (let cut = 0; cut <= documents.length; cut++) assert.deepEqual(run(cut), whole, `cut ${cut}`)
    })

    it('A document that cannot be read is skipped by its sequence', () => {
      const stream = streamOf()
      stream.apply(streams({ next: 5 }), 'current')
      stream.skip()
      assert.equal(stream.next, 6)
    })
  })

  describe('devices', () => {
    const pathItem = (id: string) =>
      `<DataItems><DataItem id="${id}" name="${id}" category="EVENT" type="EXECUTION"/></DataItems>`
    const devices = devicesWith(
      `${pathItem('own')}<Components><Path id="p1" name="path1">${pathItem('one')}</Path><Path id="p2">${pathItem('two')}</Path></Components>`,
      pathItem('far'),
    )
    const observations = ['own', 'one', 'two'].map((id, i) => ({ id, value: 'READY', sequence: i + 1 }))

    it('The items of a path belong to its machine, and those of the device to all machines', () => {
      const machines = [{ source: 'uuid-Mill', machineId: 'a', paths: { path1: 'b' } }]
      const stream = streamOf({ devices, machines })
      const { samples } = stream.apply(streams({ next: 4, observations }), 'current')
      assert.deepEqual(
        samples.map(sample => `${sample.machineId} ${sample.key}`),
        ['a own', 'b own', 'b one', 'a two'],
      )
    })

    const named = (sample: WireSample) => `${sample.machineId} ${described(sample)}`

    /** Reads two documents with the machines `before`, then connects again with the machines `after`. */
    function reassigned(before: readonly MachineSource[], after: readonly MachineSource[]) {
      const first = streamOf({ machines: before })
      const values = [
        { ...exec('ACTIVE', 10), sequence: 1 },
        { ...condition('Fault', 12, { nativeCode: '1' }), sequence: 2 },
        { ...condition('Fault', 13, { nativeCode: '2' }), sequence: 3 },
        { id: 'vars', ms: 14, sequence: 4, entries: '<Entry key="a">1</Entry><Entry key="b">2</Entry>' },
        { id: 'speed', ms: 15, sequence: 5, value: '5' },
      ]
      first.apply(streams({ next: 6, createdMs: 20, observations: values }), 'current')
      return { values, stream: streamOf({ machines: after }, first.position()) }
    }
    const mill = (id: string): MachineSource => ({ source: 'uuid-Mill', machineId: id })
    const present = [
      'execution 10 ACTIVE #1',
      'system 12 Fault 1 #2',
      'system 13 Fault 2 #3',
      'vars 14 {"a":1,"b":2} #4',
      'speed 15 5 #5',
    ]

    it('A device that is assigned to another machine gives it the present values, and gap markers to no former machine', () => {
      const { values, stream } = reassigned([mill('a')], [mill('b')])
      const current = streams({
        next: 8,
        createdMs: 30,
        observations: [...values, { ...exec('READY', 25), sequence: 7 }],
      })
      assert.deepEqual(
        stream.apply(current, 'current').samples.map(named),
        present.map(one => `b ${one}`),
      )
      assert.deepEqual(stream.apply(current, 'current').samples, [])
      const again = streamOf({ machines: [mill('b')] }, stream.position())
      assert.deepEqual(again.apply(current, 'current').samples, [])
      const markers = again.apply(streams({ instanceId: '2', next: 1 }), 'current').samples.map(named)
      assert.deepEqual(markers, [
        'b execution 20.001 UNAVAILABLE',
        'b system 20.001 UNAVAILABLE',
        'b vars 20.001 UNAVAILABLE',
      ])
      assert.deepEqual(
        again.position()?.newestUs.map(([id]) => id),
        ['b'],
      )
    })

    it('If the agent has restarted before the other machine got a value, no machine gets a gap marker', () => {
      const { stream } = reassigned([mill('a')], [mill('b')])
      assert.deepEqual(stream.apply(streams({ instanceId: '2', next: 1 }), 'current').samples, [])
      const observations = [{ ...exec('READY', 40), sequence: 1 }]
      assert.deepEqual(stream.apply(streams({ instanceId: '2', next: 2, observations }), 'sample').samples.map(named), [
        'b execution 40 READY #1',
      ])
    })

    it('The changes of a data set apply to its entries before it was assigned to another machine', () => {
      const { stream } = reassigned([mill('a')], [mill('b')])
      const observations = [{ id: 'vars', ms: 30, sequence: 6, entries: '<Entry key="b">3</Entry>' }]
      const current = streams({ next: 7, observations })
      assert.deepEqual(stream.apply(current, 'current').samples, [])
      assert.deepEqual(stream.apply(streams({ next: 7, observations }), 'sample').samples.map(named), [
        'b vars 30 {"a":1,"b":3} #6',
      ])
    })

    it('A machine that is added gets the present values before the position, also after an overrun', () => {
      const both = { ...mill('a'), paths: { path2: 'b' } }
      for (const first of [1, 7]) {
        const { values, stream } = reassigned([mill('a')], [both])
        const current = [...values.slice(1), { ...exec('READY', 25), sequence: 6 }]
        const { samples } = stream.apply(streams({ first, next: 8, createdMs: 30, observations: current }), 'current')
        const added = samples.map(named).filter(one => one.startsWith('b ') && !one.includes('execution'))
        assert.deepEqual(
          added,
          present.slice(1).map(one => `b ${one}`),
        )
        const former = samples.map(named).filter(one => one.startsWith('a '))
        const overrun = ['a execution 20.001 UNAVAILABLE', 'a execution 25 READY #6']
        assert.deepEqual(former, first === 1 ? [] : overrun)
      }
    })

    it('A device that is added gives the present values before the position, its conditions included', () => {
      const machines = [{ source: 'Mill2', machineId: 'a' }]
      const alarm = '<DataItems><DataItem id="sys" category="CONDITION" type="SYSTEM"/></DataItems>'
      const two = devicesWith(pathItem('own') + alarm, pathItem('far'))
      const stream = streamOf({ devices: two, machines })
      stream.apply(streams({ next: 6, createdMs: 20, device: 'Mill2' }), 'current')
      const added = streamOf({ devices: two, machines: [...machines, mill('b')] }, stream.position())
      const observations = [
        { id: 'own', value: 'READY', ms: 3, sequence: 2 },
        { ...condition('Fault', 4, { nativeCode: '1' }), sequence: 3 },
        { ...condition('Fault', 5, { nativeCode: '2' }), sequence: 4 },
      ]
      const document = streams({ next: 6, observations })
      assert.deepEqual(added.apply(document, 'current').samples.map(named), [
        'b own 3 READY #2',
        'b sys 4 Fault 1 #3',
        'b sys 5 Fault 2 #4',
      ])
      assert.deepEqual(added.apply(document, 'current').samples, [])
    })

    it('After a path was assigned to a machine, its items have gap markers there only', () => {
      const source = { source: 'uuid-Mill', machineId: 'a' }
      const before = streamOf({ devices, machines: [source] })
      before.apply(streams({ next: 4, createdMs: 20, observations }), 'current')
      const machines = [{ ...source, paths: { path1: 'b' } }]
      const stream = streamOf({ devices: [], machines }, before.position())
      stream.setDevices(devices)
      const added = stream.apply(streams({ next: 4, createdMs: 20, observations }), 'current').samples
      assert.deepEqual(added.map(named), ['b own 0 READY #1', 'b one 0 READY #2'])
      const { samples } = stream.apply(streams({ instanceId: '2', next: 1 }), 'current')
      assert.deepEqual(samples.map(named), [
        'a own 20.001 UNAVAILABLE',
        'b own 20.001 UNAVAILABLE',
        'b one 20.001 UNAVAILABLE',
        'a two 20.001 UNAVAILABLE',
      ])
    })

    it('The items of a connector are limited to 20,000; the others are counted, and not stored', () => {
      const stream = streamOf()
      for (let batch = 0; batch < 3; batch++) {
        const unknown = Array.from({ length: 8_000 }, (_, i) => ({
          id: `new-${batch}-${i}`,
          value: '1',
          sequence: batch * 8_000 + i + 1,
        }))
        const next = (batch + 1) * 8_000 + 1
        stream.apply(streams({ next, observations: unknown }), batch === 0 ? 'current' : 'sample')
      }
      const { keys = [], items = [] } = stream.position() ?? {}
      assert.lengthOf(keys, 20_000)
      assert.lengthOf(items, 20_000 - 15)
      assert.equal(stream.ignored, 24_000 - items.length)
      assert.isFalse(stream.hasUnknownItems(streams({ next: 2, observations: [{ id: 'other', sequence: 1 }] })))
      const known = [{ ...exec('READY', 1), sequence: 24_001 }]
      assert.lengthOf(stream.apply(streams({ next: 24_002, observations: known }), 'sample').samples, 1)
    })

    it('Devices that are not assigned give no samples', () => {
      const stream = streamOf({ devices, machines: [{ source: 'Mill2', machineId: 'c' }] })
      assert.lengthOf(stream.apply(streams({ next: 4, observations }), 'current').samples, 0)
      const far = [{ id: 'far', value: 'READY', sequence: 4 }]
      assert.lengthOf(stream.apply(streams({ next: 5, observations: far, device: 'Mill2' }), 'sample').samples, 1)
    })

    it('A used key stays when the probe document changes', () => {
      const items = (list: string) => devicesWith(`<DataItems>${list}</DataItems>`)
      const item = (id: string, name: string) => `<DataItem id="${id}" name="${name}" category="EVENT" type="PROGRAM"/>`
      const before = streamOf({ devices: items(item('a', 'x') + item('b', 'x') + item('c', 'z')) })
      before.apply(streams({ next: 1 }), 'current')
      const after = streamOf({ devices: items(item('a', 'x') + item('c', 'new') + item('d', 'z')) }, before.position())
      const values = ['a', 'c', 'd'].map((id, i) => ({ id, value: '1', sequence: i + 1 }))
      const { samples } = after.apply(streams({ next: 4, observations: values }), 'sample')
      assert.deepEqual(
        samples.map(({ key }) => key),
        ['a', 'z', 'd'],
      )
    })

    it('An item that the probe document lacks is derived from its element', () => {
      const stream = streamOf()
      const unknown: readonly Written[] = [
        {
          id: 'u1',
          sequence: 1,
          element: 'PathFeedrate',
          section: 'Samples',
          value: '1',
          attributes: { name: 'Frt', subType: 'ACTUAL', statistic: 'AVERAGE' },
        },
        {
          id: 'u2',
          sequence: 2,
          element: 'Warning',
          section: 'Condition',
          attributes: { type: 'SYSTEM', nativeCode: '5' },
        },
        { id: 'u3', sequence: 3, element: 'VariableDataSet', entries: '<Entry key="a">1</Entry>' },
        { id: 'u4', sequence: 4, element: 'PartCountDiscrete', value: '1' },
        { id: 'u5', sequence: 5, element: 'MTConnectVersion', value: '2.0', attributes: { name: 'execution' } },
      ]
      const document = streams({ next: 6, observations: unknown })
      assert.isTrue(stream.hasUnknownItems(document))
      assert.isFalse(stream.hasUnknownItems(streams({ next: 2, observations: [{ ...exec('READY', 1), sequence: 1 }] })))
      const { samples } = stream.apply(document, 'current')
      assert.deepEqual(
        samples.map(({ key, type, subtype = '', category, value }) => [key, type, subtype, category, value].join(' ')),
        [
          'Frt.AVERAGE PATH_FEEDRATE ACTUAL SAMPLE 1',
          'u2 SYSTEM  CONDITION Warning',
          'u3 VARIABLE  EVENT {"a":1}',
          'u4 PART_COUNT  EVENT 1',
          'u5 MTCONNECT_VERSION  EVENT 2.0',
        ],
      )
      stream.setDevices(
        devicesWith('<DataItems><DataItem id="u4" name="n" category="EVENT" type="PART_COUNT"/></DataItems>'),
      )
      assert.isFalse(stream.hasUnknownItems(streams({ next: 7, observations: [{ id: 'u4', sequence: 6 }] })))
    })
  })
})
