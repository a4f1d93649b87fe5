import { assert } from 'chai'
import { readDevices, type Device } from '../../../ingest/shdr/devices.ts'
import type { ReplaySample } from '../../../ingest/shdr/sample.ts'
import { deviceWith, faultsOf, parseLines, receivedUs, samplesOf } from './parsed.ts'

const at = '2024-05-06T06:00:00Z'
const mill = deviceWith(`
  <DataItem id="x1" name="exec" category="EVENT" type="EXECUTION"/>
  <DataItem id="x2" name="count" category="EVENT" type="PART_COUNT"><ResetTrigger>SHIFT</ResetTrigger></DataItem>
  <DataItem id="x3" name="servo" category="CONDITION" type="ACTUATOR"/>
  <DataItem id="x4" name="ss" category="SAMPLE" type="ROTARY_VELOCITY" subType="ACTUAL"/>
  <DataItem id="x5" name="sys" category="CONDITION" type="SYSTEM"/>
  <DataItem id="p1" name="program" category="EVENT" type="PROGRAM"/>
  <DataItem id="m1" name="note" category="EVENT" type="MESSAGE"/>
  <DataItem id="t1" name="vib" category="SAMPLE" type="ACCELERATION" representation="TIME_SERIES"/>
  <DataItem id="al" name="alarm" category="EVENT" type="ALARM"/>
  <DataItem id="as" name="asset_chg" category="EVENT" type="ASSET_CHANGED"/>
  <DataItem id="ds" name="vars" category="EVENT" type="VARIABLE" representation="DATA_SET"/>
  <DataItem id="tb" name="offsets" category="EVENT" type="WORK_OFFSET" representation="TABLE"/>
  <DataItem id="ps" name="pos" category="SAMPLE" type="PATH_POSITION" units="MILLIMETER_3D"/>`)

const parse = (...lines: readonly string[]) => parseLines([mill], lines)
const samples = (...lines: readonly string[]) => samplesOf(parse(...lines))
/** Samples without time, type and category. */
const values = (...lines: readonly string[]) => samples(...lines).map(contentOf)
function contentOf(sample: ReplaySample): Partial<ReplaySample> {
  const { key, value, nativeCode, nativeSeverity, qualifier, message } = sample
  const details = { nativeCode, nativeSeverity, qualifier, message }
  const present = Object.entries(details).filter(([, text]) => text !== undefined)
  return { key, value, ...Object.fromEntries(present) }
}
const faults = (...lines: readonly string[]) => faultsOf(parse(...lines))

describe('SHDR parser', () => {
  describe('keys', () => {
    const document = (dataItems: string) => deviceWith(dataItems)
    const keys = (device: Device, line: string) => samplesOf(parseLines([device], [line])).map(({ key }) => key)

    it('A data item is found by its id, name and Source text, and its samples have one key', () => {
      const device = document(`
        <DataItem id="x1" category="EVENT" type="EXECUTION"><Source>execution_state</Source></DataItem>
        <DataItem id="x2" category="EVENT" type="PART_COUNT"><Source dataItemId="foo"> parts_made </Source></DataItem>
        <DataItem id="c1" name="Sspeed" category="SAMPLE" type="SPINDLE_SPEED" subType="ACTUAL"><Source>spindle_speed</Source></DataItem>`)
      const line = `${at}|execution_state|ACTIVE|parts_made|10|spindle_speed|1|c1|2|Sspeed|3|x1|READY`
      assert.deepEqual(keys(device, line), ['x1', 'x2', 'Sspeed', 'Sspeed', 'Sspeed', 'x1'])
      assert.deepInclude(samplesOf(parseLines([device], [line]))[2], {
        type: 'SPINDLE_SPEED',
        subtype: 'ACTUAL',
        category: 'SAMPLE',
      })
    })

    it('The key of a data item is its id if its name is not unique in the device', () => {
      const device = document(`
        <DataItem id="a" name="load" category="SAMPLE" type="LOAD"/>
        <DataItem id="b" name="load" category="SAMPLE" type="LOAD"/>
        <DataItem id="c" name="d" category="SAMPLE" type="LOAD"/>
        <DataItem id="d" category="SAMPLE" type="LOAD"/>`)
      assert.deepEqual(keys(device, `${at}|a|1|b|2|load|3|c|4|d|5`), ['a', 'b', 'a', 'c', 'c'])
    })

    it('A Source text has priority over the name of another data item, and a name over an id', () => {
      const device = document(`
        <DataItem id="second" name="first" category="SAMPLE" type="A"/>
        <DataItem id="y" name="second" category="SAMPLE" type="B"/>
        <DataItem id="z" name="third" category="SAMPLE" type="C"><Source>first</Source></DataItem>`)
      const types = samplesOf(parseLines([device], [`${at}|first|1|second|2`])).map(({ type }) => type)
      assert.deepEqual(types, ['C', 'B'])
    })

    it('The key of a statistic ends in its name', () => {
      const device = document(`<DataItem id="a" name="load" category="SAMPLE" type="LOAD" statistic="AVERAGE"/>
        <DataItem id="b" name="rpm" category="SAMPLE" type="ROTARY_VELOCITY" statistic="NONE"/>`)
      assert.deepEqual(keys(device, `${at}|load|1|b|2`), ['load.AVERAGE', 'rpm'])
    })

    it('Keys that the device does not have become samples by the shape of their fields', () => {
      assert.deepEqual(samples(`${at}|Fact|12.5|move|fast|hyd|Fault|B6|||Stop`), [
        { timestamp: at, key: 'Fact', type: 'FACT', value: '12.5', category: 'SAMPLE' },
        { timestamp: at, key: 'move', type: 'MOVE', value: 'fast', category: 'EVENT' },
        {
          timestamp: at,
          key: 'hyd',
          type: 'HYD',
          value: 'Fault',
          category: 'CONDITION',
          nativeCode: 'B6',
          message: 'Stop',
        },
      ])
      assert.deepEqual(values(`${at}|level|NORMAL|exec|ACTIVE|count|5`), [
        { key: 'level', value: 'NORMAL' },
        { key: 'exec', value: 'ACTIVE' },
        { key: 'count', value: '5' },
      ])
    })

    it('A number or an empty field is not a key', () => {
      const line = `${at}|unknown|5|100.5|1.1 1.2 1.3|exec|ACTIVE||x|count|5||`
      assert.deepEqual(values(line), [
        { key: 'unknown', value: '5' },
        { key: 'exec', value: 'ACTIVE' },
        { key: 'count', value: '5' },
      ])
      assert.deepEqual(faults(line), ['invalid_key 100.5'])
    })
  })

  describe('devices', () => {
    const lathe = deviceWith('<DataItem id="l1" name="exec" category="EVENT" type="EXECUTION"/>', 'Lathe')
    const deliveries = (lines: readonly string[], devices = [mill, lathe]) =>
      parseLines(devices, lines).flatMap(({ observations }) =>
        observations.map(({ device, key, value }) => `${device.name} ${key} ${value}`),
      )

    it('A device command and a device before the key select the device', () => {
      const lines = [
        '* device: Lathe',
        `${at}|exec|READY|Mill:exec|ACTIVE|uuid-Mill:count|5`,
        '* Device : uuid-Mill',
        `${at}|exec|STOPPED`,
      ]
      assert.deepEqual(deliveries(lines), ['Lathe exec READY', 'Mill exec ACTIVE', 'Mill count 5', 'Mill exec STOPPED'])
    })

    it('Lines without a device belong to the only device, and with several devices are skipped until a device command', () => {
      const lines = [
        `${at}|exec|ACTIVE|servo|FAULT|1|||text`,
        `${at}|Mill:exec|READY`,
        '* device: Lathe',
        `${at}|exec|STOPPED`,
      ]
      assert.deepEqual(deliveries(lines), ['Mill exec READY', 'Lathe exec STOPPED'])
      assert.deepEqual(faultsOf(parseLines([mill, lathe], lines)), ['no_device exec'])
      assert.deepEqual(deliveries(lines.slice(0, 1), [lathe]), ['Lathe exec ACTIVE', 'Lathe servo FAULT'])
    })

    it('Lines of a device that the document does not have are skipped', () => {
      const lines = ['* device: Saw', `${at}|exec|ACTIVE|count|5`, `${at}|Mill:exec|READY`]
      assert.deepEqual(deliveries(lines), ['Mill exec READY'])
      assert.deepEqual(faultsOf(parseLines([mill, lathe], lines)), ['unknown_device Saw'])
    })

    it('A key with a colon is a key of the device if no device has the name before it', () => {
      assert.deepEqual(values(`${at}|Saw:exec|ACTIVE`), [{ key: 'Saw:exec', value: 'ACTIVE' }])
    })

    it('Protocol commands are returned with their value, and give no observation', () => {
      const commands = parse('* PONG 10000', '* PING', '*shdrVersion:2', '* device', ' * calibration: Xact|1|0').map(
        line => line.command,
      )
      assert.deepEqual(commands, [
        { name: 'pong', value: '10000' },
        { name: 'ping', value: '' },
        { name: 'shdrversion', value: '2' },
        { name: 'device', value: '' },
        { name: 'calibration', value: 'Xact|1|0' },
        null,
      ])
    })
  })

  describe('fields', () => {
    it('A field in double quotes contains escaped pipes', () => {
      const line = String.raw`${at}|program|"O1234\|SUB"|exec|ACTIVE|count|10`
      assert.deepEqual(values(line), [
        { key: 'program', value: 'O1234|SUB' },
        { key: 'exec', value: 'ACTIVE' },
        { key: 'count', value: '10' },
      ])
    })

    const programs: Readonly<Record<string, string>> = {
      [String.raw`"a\|b\|c"`]: 'a|b|c',
      [String.raw`"\|b\|"`]: '|b|',
      [String.raw`"a \"b\" c\\d"`]: String.raw`a "b" c\d`,
      [String.raw`  "a\|b"  `]: 'a|b',
      '"O1"': 'O1',
      '""': '',
      'TNC:\\dir\\a.H': 'TNC:\\dir\\a.H',
      'say "hi"': 'say "hi"',
      '"a" b': '"a" b',
      '"open': '"open',
    }
    for (const [written, value] of Object.entries(programs)) {
      it(`The field ${written} has the value ${value}`, () => {
        assert.deepEqual(values(`${at}|program|${written}|exec|READY`), [
          { key: 'program', value },
          { key: 'exec', value: 'READY' },
        ])
      })
    }

    it('A quote that is not closed in its field leaves the other fields as they are', () => {
      assert.deepEqual(values(String.raw`${at}|program|"a\|exec|ACTIVE`), [
        { key: 'program', value: String.raw`"a` + '\\' },
        { key: 'exec', value: 'ACTIVE' },
      ])
    })

    it('Outer blanks of fields and line ends are removed', () => {
      assert.deepEqual(samples(`\ufeff ${at} | exec |\tACTIVE \r`), [
        { timestamp: at, key: 'exec', type: 'EXECUTION', value: 'ACTIVE', category: 'EVENT' },
      ])
    })
  })

  describe('forms', () => {
    it('A condition has six fields, and further observations may follow it', () => {
      assert.deepEqual(values(`${at}|servo|FAULT|414|||Servo overload|sys|WARNING|7|2|HIGH|Low oil|exec|ACTIVE`), [
        { key: 'servo', value: 'FAULT', nativeCode: '414', message: 'Servo overload' },
        { key: 'sys', value: 'WARNING', nativeCode: '7', nativeSeverity: '2', qualifier: 'HIGH', message: 'Low oil' },
        { key: 'exec', value: 'ACTIVE' },
      ])
      assert.deepEqual(values(`${at}|sys|FAULT||||no code`, `${at}|servo|NORMAL`), [
        { key: 'sys', value: 'FAULT', message: 'no code' },
        { key: 'servo', value: 'NORMAL' },
      ])
    })

    it('The text of a condition or message may contain pipes without quotes up to the next known key', () => {
      assert.deepEqual(values(`${at}|servo|FAULT|414|||DOOR | OPENED|exec|ACTIVE`, `${at}|note|17|a|b||`), [
        { key: 'servo', value: 'FAULT', nativeCode: '414', message: 'DOOR|OPENED' },
        { key: 'exec', value: 'ACTIVE' },
        { key: 'note', value: 'a|b', nativeCode: '17' },
      ])
      assert.deepEqual(values(`${at}|servo|FAULT|414|||text|hyd|FAULT|1|||oil`)[0], {
        key: 'servo',
        value: 'FAULT',
        nativeCode: '414',
        message: 'text',
      })
    })

    it('A message has a code and a text', () => {
      assert.deepEqual(samples(`${at}|note|17|Change tool|exec|ACTIVE`)[0], {
        timestamp: at,
        key: 'note',
        type: 'MESSAGE',
        value: 'Change tool',
        category: 'EVENT',
        nativeCode: '17',
      })
      assert.deepEqual(values(`${at}|note|UNAVAILABLE`), [{ key: 'note', value: 'UNAVAILABLE' }])
    })

    it('A time series has three fields, and its value is the last one', () => {
      assert.deepEqual(
        values(`${at}|vib|5|100.5|1.1 1.2 1.5||`, `${at}|vib|1|101.5|7|exec|ACTIVE`, `${at}|vib|0|0|UNAVAILABLE`),
        [
          { key: 'vib', value: '1.5' },
          { key: 'vib', value: '7' },
          { key: 'exec', value: 'ACTIVE' },
          { key: 'vib', value: 'UNAVAILABLE' },
        ],
      )
      assert.deepEqual(faults(`${at}|vib|5|100`), ['missing_value vib'])
    })

    it('An alarm has five fields', () => {
      assert.deepEqual(values(`${at}|alarm|OTHER|NC12|CRITICAL|ACTIVE|Spindle drive|exec|ACTIVE`), [
        { key: 'alarm', value: 'Spindle drive', nativeCode: 'NC12', nativeSeverity: 'CRITICAL', qualifier: 'ACTIVE' },
        { key: 'exec', value: 'ACTIVE' },
      ])
    })

    it('An asset event has the type and the id of the asset, and its value is the id', () => {
      assert.deepEqual(values(`${at}|asset_chg|CuttingTool|T100.1|exec|ACTIVE`, `${at}|asset_chg|T7`), [
        { key: 'asset_chg', value: 'T100.1' },
        { key: 'exec', value: 'ACTIVE' },
        { key: 'asset_chg', value: 'T7' },
      ])
    })

    it('UNAVAILABLE may be the only field of each form', () => {
      const keys = ['servo', 'note', 'vib', 'alarm', 'asset_chg', 'vars', 'offsets', 'exec']
      const line = `${at}|${keys.map(key => `${key}|unavailable`).join('|')}`
      assert.deepEqual(
        values(line),
        keys.map(key => ({ key, value: key === 'vars' || key === 'offsets' ? 'UNAVAILABLE' : 'unavailable' })),
      )
    })

    it('A position in space is one text', () => {
      assert.deepEqual(values(`${at}|pos|1 2 3`), [{ key: 'pos', value: '1 2 3' }])
    })

    it('A reset trigger is removed from the value of an item that has one', () => {
      assert.deepEqual(values(`${at}|count|0:SHIFT|program|O1:2`), [
        { key: 'count', value: '0' },
        { key: 'program', value: 'O1:2' },
      ])
    })

    it('A key without a value is a fault', () => {
      assert.deepEqual(values(`${at}|exec|ACTIVE|count`), [{ key: 'exec', value: 'ACTIVE' }])
      assert.deepEqual(faults(`${at}|exec|ACTIVE|count`, `${at}|exec|ACTIVE|unknown`), [
        'missing_value count',
        'missing_value unknown',
      ])
    })

    it('An empty value is an empty text', () => {
      assert.deepEqual(values(`${at}|exec|`), [{ key: 'exec', value: '' }])
    })
  })

  describe('data sets and tables', () => {
    const sets = (...texts: readonly string[]) =>
      values(...texts.map((text, i) => `2024-05-06T06:00:${10 + i}Z|vars|${text}`)).map(({ value }) => value)

    it('The value of a data set has all entries after the change, with null for removed ones', () => {
      assert.deepEqual(
        sets('a=1 b=2.0 c="x y" d={z\\}} e=\'q\'', 'a=5 b', 'f=1Bch', 'UNAVAILABLE', '__proto__=1 7=8 g=.5'),
        [
          '{"a":1,"b":2,"c":"x y","d":"z}","e":"q"}',
          '{"a":5,"c":"x y","d":"z}","e":"q","b":null}',
          '{"a":5,"c":"x y","d":"z}","e":"q","f":"1Bch"}',
          'UNAVAILABLE',
          '{"__proto__":1,"7":8,"g":0.5}',
        ],
      )
    })

    it('A reset trigger empties a data set first', () => {
      assert.deepEqual(sets('a=1 b=2', ':MANUAL c=3', ':DAY', 'd='), ['{"a":1,"b":2}', '{"c":3}', '{}', '{"d":null}'])
    })

    it('Integers above 2^53 stay exact, as texts', () => {
      assert.deepEqual(sets('a=12345678901234567890 b=9007199254740991'), [
        '{"a":"12345678901234567890","b":9007199254740991}',
      ])
    })

    it('The value of a table has rows of cells', () => {
      assert.deepEqual(
        values(`${at}|offsets|:DAY G53.1={x=1 y=2.5 z} G53.2='w="a b"'`, `${at}|offsets|G53.1 G53.3={}`),
        [
          { key: 'offsets', value: '{"G53.1":{"x":1,"y":2.5,"z":null},"G53.2":{"w":"a b"}}' },
          { key: 'offsets', value: '{"G53.2":{"w":"a b"},"G53.3":{},"G53.1":null}' },
        ],
      )
    })

    it('A data set that cannot be read changes nothing', () => {
      const bad = ['a=1 c={dogs', 'a="x', '=1', 'a=1 }', "'"]
      assert.deepEqual(sets('a=0', ...bad, 'b=1'), ['{"a":0}', '{"a":0,"b":1}'])
      assert.deepEqual(
        faults(...bad.map(text => `${at}|vars|${text}`)),
        bad.map(() => 'invalid_data_set vars'),
      )
      assert.deepEqual(faults(`${at}|offsets|a=1`, `${at}|offsets|a={b=1`), [
        'invalid_data_set offsets',
        'invalid_data_set offsets',
      ])
    })

    it('A data set above 16,384 characters has the value TOO_LONG until it is shorter', () => {
      const long = 'x'.repeat(16_384)
      assert.deepEqual(sets(`a=1 b=${long}`, 'b'), ['TOO_LONG', '{"a":1,"b":null}'])
      assert.deepEqual(faults(`${at}|vars|b=${long}`), ['data_set_too_long vars'])
    })

    it('A data set above the limit of memory is unknown until it is emptied', () => {
      const long = Array.from({ length: 5 }, (_, i) => `k${i}=${'x'.repeat(16_000)}`)
      assert.deepEqual(sets(...long, 'k0 k1 k2 k3 k4', 'UNAVAILABLE', 'a=1').slice(4), [
        'TOO_LONG',
        'TOO_LONG',
        'UNAVAILABLE',
        '{"a":1}',
      ])
    })
  })

  describe('lines', () => {
    it('A duration after the time is removed', () => {
      assert.deepEqual(
        samples(`${at}@12.5|exec|ACTIVE`, `${at} @ 3|exec|READY`).map(({ timestamp }) => timestamp),
        [at, '2024-05-06T06:00:00.000001Z'],
      )
    })

    it('A line without a time, or with a relative time, has the time of receipt', () => {
      const parsed = parse('|exec|ACTIVE', '1234.5|exec|READY', '@12|exec|STOPPED')
      assert.deepEqual(
        parsed.flatMap(({ observations }) => observations.map(({ atUs }) => atUs)),
        [receivedUs, receivedUs, receivedUs],
      )
      assert.deepEqual(
        samplesOf(parsed).map(({ timestamp }) => timestamp),
        [0, 1, 2].map(us => `2024-05-06T07:00:00.00000${us}Z`),
      )
    })

    it('A line that is not SHDR is a fault', () => {
      const lines = ['exec|ACTIVE', at, `${at}|exec`, '2024-13-06T06:00:00Z|exec|ACTIVE', 'hello']
      assert.deepEqual(
        faults(...lines),
        lines.map(() => 'not_shdr'),
      )
      assert.deepEqual(faults('', '   ', '\r'), [])
    })

    it('Assets are skipped, and observations after the commands that remove assets are not', () => {
      const lines = [
        `${at}|@ASSET@|T1|CuttingTool|<CuttingTool>a|exec|READY</CuttingTool>`,
        `${at}|@UPDATE_ASSET@|T1|OverallToolLength|323.2`,
        `${at}|@REMOVE_ASSET@|T1`,
        `${at}|@REMOVE_ALL_ASSETS@`,
        `|@ASSET@|T1|CuttingTool|<CuttingTool/>`,
      ]
      assert.deepEqual([values(...lines), faults(...lines)], [[], []])
      assert.deepEqual(
        values(
          `${at}|@REMOVE_ASSET@|T1|exec|ACTIVE`,
          `${at}|@REMOVE_ALL_ASSETS@|CuttingTool|exec|READY`,
          `${at}|@REMOVE_ALL_ASSETS@|exec|STOPPED`,
        ),
        ['ACTIVE', 'READY', 'STOPPED'].map(value => ({ key: 'exec', value })),
      )
    })

    it('A value or an asset may have several lines', () => {
      const lines = [
        `${at}|@ASSET@|T1|CuttingTool|--multiline--ABC`,
        '<CuttingTool>',
        `${at}|exec|STOPPED`,
        '--multiline--AB',
        '--multiline--ABC  ',
        `${at}|exec|ACTIVE|note|17|--multiline--X1`,
        'Change tool',
        '',
        'then start',
        '--multiline--X1',
        '* deviceModel: --multiline--Z',
        '<Device/>',
        '--multiline--Z',
        `${at}|count|5`,
      ]
      assert.deepEqual(values(...lines), [
        { key: 'exec', value: 'ACTIVE' },
        { key: 'note', value: 'Change tool\n\nthen start', nativeCode: '17' },
        { key: 'count', value: '5' },
      ])
      assert.deepEqual(faults(...lines), [])
    })

    it('A value of several lines above 1 MiB, or without an end, is a fault', () => {
      const long = Array.from({ length: 12 }, () => 'x'.repeat(100_000))
      const lines = [`${at}|note|17|--multiline--X`, ...long, `${at}|exec|ACTIVE`]
      assert.deepEqual(values(...lines), [{ key: 'exec', value: 'ACTIVE' }])
      assert.deepEqual(faults(...lines).slice(0, 1), ['multiline_too_long'])
      assert.deepEqual(faults(`${at}|note|17|--multiline--X`, 'a'), ['multiline_without_end'])
    })
  })

  describe('limits', () => {
    const observations = (line: string) => parse(line).flatMap(parsed => parsed.observations)

    it('A key that no data item has gives a value up to 256 characters', () => {
      const line = `${at}|${'k'.repeat(256)}|1|${'k'.repeat(257)}|2|exec|ACTIVE`
      assert.deepEqual(
        observations(line).map(({ value }) => value),
        ['1', 'ACTIVE'],
      )
      assert.deepEqual(faults(line), [`invalid_key ${'k'.repeat(256)}`])
    })

    it('A line gives at most 2,000 values, and about 4 MiB of those of a data set', () => {
      const many = `${at}${'|exec|ACTIVE'.repeat(2_001)}`
      assert.deepEqual([observations(many).length, faults(many)], [2_000, ['too_many_values']])
      assert.deepEqual(faults(`${at}${'|exec|ACTIVE'.repeat(2_000)}`), [])
      const large = `${at}|vars|a=${'x'.repeat(16_000)}${'|vars|b=1'.repeat(1_000)}`
      const length = observations(large).reduce((sum, { value }) => sum + value.length, 0)
      assert.isBelow(length, 4_194_304 + 16_384)
      assert.deepEqual(faults(large), ['too_many_values'])
    })
  })

  describe('order of equal times', () => {
    const ordered = (...lines: readonly string[]) =>
      samples(...lines).map(({ timestamp, value }) => `${timestamp.slice(17)} ${value}`)

    it('Different values of a key at one time move by 1 µs each, in order of arrival', () => {
      assert.deepEqual(ordered(`${at}|exec|READY|exec|ACTIVE`, `${at}|exec|READY`, `${at}|count|1`), [
        '00Z READY',
        '00.000001Z ACTIVE',
        '00.000002Z READY',
        '00Z 1',
      ])
    })

    it('An equal observation at the same time is a duplicate', () => {
      assert.deepEqual(
        ordered(
          `${at}|exec|READY`,
          `${at}|exec|READY`,
          `${at}|exec|ACTIVE`,
          '2024-05-06T06:00:00.0000000Z|exec|ACTIVE',
        ),
        ['00Z READY', '00.000001Z ACTIVE'],
      )
    })

    it('A later time is not before the times that equal times have moved to', () => {
      const lines = [
        '00Z|exec|A',
        '00Z|exec|B',
        '00Z|exec|C',
        '00.000001Z|exec|D',
        '00.000004Z|exec|E',
        '00.000003Z|exec|F',
      ]
      assert.deepEqual(ordered(...lines.map(line => `2024-05-06T06:00:${line}`)), [
        '00Z A',
        '00.000001Z B',
        '00.000002Z C',
        '00.000003Z D',
        '00.000004Z E',
        '00.000003Z F',
      ])
    })

    it('Conditions are compared with the last one of their code', () => {
      const codes = (...lines: readonly string[]) =>
        samples(...lines).map(
          ({ timestamp, value, nativeCode = '' }) => `${timestamp.slice(17)} ${value} ${nativeCode}`,
        )
      assert.deepEqual(
        codes(
          ...['FAULT|1|||', 'FAULT|2|||', 'FAULT|1|||', 'FAULT|2|||b', 'NORMAL||||', 'FAULT|1|||', 'NORMAL||||'].map(
            text => `${at}|servo|${text}`,
          ),
        ),
        [
          '00Z FAULT 1',
          '00.000001Z FAULT 2',
          '00.000002Z FAULT 2',
          '00.000003Z NORMAL ',
          '00.000004Z FAULT 1',
          '00.000005Z NORMAL ',
        ],
      )
    })
  })

  describe('probe documents', () => {
    it('A document with a DOCTYPE or more than 100 levels is rejected', () => {
      assert.throws(() => readDevices('<!DOCTYPE a [<!ENTITY b "c">]><MTConnectDevices/>'), 'DOCTYPE')
      assert.throws(() => readDevices('<a>'.repeat(102) + '</a>'.repeat(102)))
      assert.throws(() => readDevices('<a><b></a>'))
    })

    it('Texts of a document keep digits, and resolve entities and CDATA', () => {
      const device = deviceWith(`<DataItem id="a" name="007" category="SAMPLE" type="LOAD"/>
        <DataItem id="b" name="b" category="SAMPLE" type="LOAD"><Source><![CDATA[x&y]]></Source></DataItem>
        <DataItem id="c" name="c" category="SAMPLE" type="LOAD"><Source>00&amp;1</Source></DataItem>`)
      assert.includeMembers([...device.items.keys()], ['007', 'x&y', '00&1'])
    })

    it('A data item has the path above it, and the device Agent is not a device', () => {
      const [device, ...others] =
        readDevices(`<m:MTConnectDevices xmlns:m="urn:mtconnect.org:MTConnectDevices:2.0"><m:Devices>
        <m:Agent id="agent" name="Agent"><m:DataItems><m:DataItem id="g" category="EVENT" type="AVAILABILITY"/></m:DataItems></m:Agent>
        <m:Device id="d" uuid="u"><m:Description model="M"/><m:Components><m:Controller id="c"><m:Components>
          <m:Path id="p1" name="path1"><m:Description model="other"/><m:DataItems><m:DataItem id="e1" category="EVENT" type="EXECUTION"/></m:DataItems></m:Path>
          <m:Path id="p2"><m:DataItems><m:DataItem id="e2" category="EVENT" type="EXECUTION"/></m:DataItems></m:Path>
        </m:Components><m:DataItems><m:DataItem id="s" category="CONDITION" type="SYSTEM"/></m:DataItems></m:Controller></m:Components></m:Device>
      </m:Devices></m:MTConnectDevices>`)
      assert.lengthOf(others, 0)
      assert.deepInclude(device, { name: 'd', uuid: 'u', model: 'M' })
      assert.deepEqual(
        device?.dataItems.map(({ id, path }) => [id, path]),
        [
          ['e1', { id: 'p1', name: 'path1' }],
          ['e2', { id: 'p2', name: 'p2' }],
          ['s', null],
        ],
      )
    })
  })
})
