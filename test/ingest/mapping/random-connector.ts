import * as fc from 'fast-check'
import { defaultConnectorOptions, type ConnectorRecord, type MappingRule } from '../../../schema/records/connector.ts'

export const machineIds = ['0d5a6a3e-5d0b-4f60-9a3c-1d2f7c0b8e11', '0d5a6a3e-5d0b-4f60-9a3c-1d2f7c0b8e22'] as const

const name = fc.constantFrom('a', 'b', 'x y', '__proto__', 'length', 'constructor')
const step = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('.a', '.b') },
  fc.constantFrom('["x y"]', '["__proto__"]', '.length', '.constructor', '[0]', '[1]'),
)
const stepsOf = (root: string) => fc.array(step, { maxLength: 2 }).map(steps => root + steps.join(''))
const path = stepsOf('$')
const elementPath = fc.oneof(path, stepsOf('@'))
const each = fc.constantFrom('$[*]', '$.a[*]', '$.b[*]', '$.a[*].b', '$[*][*]', '$.a[*].a[*]')

const level = fc.constantFrom('p', 'q', machineIds[0], '')
const pattern = (wildcards: readonly string[]) =>
  fc
    .tuple(fc.array(fc.oneof(level, fc.constantFrom(...wildcards)), { minLength: 1, maxLength: 3 }), fc.boolean())
    .map(([levels, isOpen]) => [...levels.slice(0, isOpen ? 2 : 3), ...(isOpen ? ['#'] : [])].join('/'))
    .filter(text => (text.match(/\{m\}/g) ?? []).length < 2)

const texts = fc.constantFrom('ACTIVE', 'READY', '7', '-2.5', 'unavailable', 'x')
/** Values of devices, as JSON. */
export const scalar = fc.oneof(
  fc.constantFrom<string | number | boolean | null>(true, false, 'TRUE', 0, 1, '1', '0', null, '', 'Unavailable', '*'),
  fc.constantFrom<string | number>(
    '7',
    ' 7.25 ',
    '1e3',
    '0x10',
    '.5',
    '5.',
    '1.2.3',
    'ACTIVE',
    1e308,
    1e21,
    -0.5,
    1.005,
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }),
  fc.integer({ min: -5, max: 5 }),
)
const time = fc.oneof(
  fc.integer({ min: 1_700_000_000, max: 1_700_000_100 }),
  fc.double({ noNaN: true, min: 1_700_000_000_000, max: 1_700_000_100_000 }),
  fc.constantFrom('2024-05-06T08:00:00.123Z', '2024-05-06T08:00:00.123456Z', '1700000000000', 'now', -1, 1e300),
)
const conversion = {
  invert: fc.boolean(),
  map: fc.dictionary(fc.constantFrom('1', '0', 'true', 'false', 'null', '*', '7', 'UNAVAILABLE', 'ACTIVE'), texts),
  scale: fc.constantFrom(0.1, 2, -1, 1e300),
  offset: fc.constantFrom(0, 0.5, -273.15),
  round: fc.integer({ min: 0, max: 15 }),
}
export const conversionRule = fc.record(conversion, { requiredKeys: [] })

const fields = {
  subtype: fc.constantFrom('ALL', 'ACTUAL'),
  category: fc.constantFrom('SAMPLE', 'EVENT', 'CONDITION'),
  equals: fc.constantFrom('offline', '1', '[]'),
  unavailable: fc.boolean(),
  each,
  value: elementPath,
  time: elementPath,
  timeUnit: fc.constantFrom('s', 'ms', 'us', 'ns'),
  nativeCode: elementPath,
  message: elementPath,
  ...conversion,
  deadband: fc.constantFrom(0, 0.5, 3),
}
const from = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom('#', 'p/#', '+') },
  { weight: 3, arbitrary: pattern(['+', '{m}']) },
)

/** Few of the fields, as most of them reduce what a rule matches. */
export const randomRule: fc.Arbitrary<MappingRule> = fc
  .tuple(
    fc.record({ from, key: fc.constantFrom('k1', 'k2'), type: fc.constantFrom('EXECUTION', 'TEMPERATURE') }),
    fc.record(fields),
    fc.subarray(Object.keys(fields), { maxLength: 5 }),
  )
  .map(([named, every, used]) => {
    const optional = Object.entries(every).filter(([field]) => used.includes(field))
    // `unavailable` has no elements.
    const isWhole = used.includes('unavailable') && every.unavailable
    const made: MappingRule = Object.assign(
      named,
      Object.fromEntries(optional.filter(([field]) => !(isWhole && field === 'each'))),
    )
    const own = made.each === undefined ? withoutElement(made) : made
    const { deadband: _, ...rest } = own
    return own.category === 'SAMPLE' ? own : rest
  })

/** Without `each` there is no element. */
function withoutElement(made: MappingRule): MappingRule {
  const changed = Object.entries(made).map(([field, text]) => [
    field,
    typeof text === 'string' && text.startsWith('@') ? `$${text.slice(1)}` : text,
  ])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same fields
  return Object.fromEntries(changed) as MappingRule
}

type Machine = ConnectorRecord['machines'][number]
const timeOffsetMs = fc.constantFrom(0, 0, 5, -3_600_000)
const machine: fc.Arbitrary<Machine> = fc.oneof(
  fc.record({
    source: pattern(['+']),
    machineId: fc.constantFrom(...machineIds),
    paths: fc.constant({}),
    expand: fc.constant([]),
    timeOffsetMs,
  }),
  fc.record({
    source: fc.constantFrom('{m}', 'p/{m}', '+/{m}', '{m}/#'),
    machineId: fc.oneof(
      fc.constant('{m}'),
      fc.dictionary(fc.constantFrom('p', 'q', ''), fc.constantFrom(...machineIds)),
    ),
    paths: fc.constant({}),
    expand: fc.constant([]),
    timeOffsetMs,
  }),
)

const every = { source: '#', machineId: machineIds[1] }

/** A connector whose rules often match random messages. */
export const randomConnector = fc.record({
  rules: fc.array(randomRule, { minLength: 1, maxLength: 8 }),
  // Mostly the last one has all topics.
  machines: fc
    .tuple(fc.array(machine, { minLength: 1, maxLength: 4 }), fc.boolean())
    .map(([some, isOpen]) =>
      some.map((each, at) => (isOpen && at === some.length - 1 ? Object.assign({}, each, every) : each)),
    ),
  options: fc
    .record({ time: fc.constantFrom<'source' | 'received'>('source', 'source', 'received'), timeOffsetMs })
    .map(options => Object.assign({}, defaultConnectorOptions, options)),
})

/** A value of JSON as devices send it. */
export const randomValue = fc.letrec<{ any: unknown }>(tie => ({
  any: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 6, arbitrary: scalar },
    { weight: 1, arbitrary: time },
    { weight: 3, arbitrary: fc.dictionary(name, tie('any'), { maxKeys: 3 }) },
    { weight: 2, arbitrary: fc.array(tie('any'), { maxLength: 3 }) },
  ),
})).any

/** A message as text; receipt in UTC µs. */
export const randomMessage = fc.record({
  topic: fc.oneof(
    { weight: 9, arbitrary: fc.array(level, { minLength: 1, maxLength: 4 }).map(levels => levels.join('/')) },
    fc.constantFrom('$SYS/broker', '$SYS'),
  ),
  text: fc.oneof(
    { weight: 9, arbitrary: randomValue.map(json => JSON.stringify(json)) },
    fc.constantFrom('offline', '', '{', 'ON', '[]'),
  ),
  receivedUs: fc.integer({ min: 1_700_000_000_000_000, max: 1_700_000_100_000_000 }),
})
