import { gzipSync } from 'node:zlib'
import type { Random } from '../../demo/simulate/random.ts'

const oddTexts = [
  '',
  ' '.repeat(2000),
  'x'.repeat(5000),
  '9'.repeat(400),
  '\u0000',
  '\ud800',
  '‮abc',
  '=1+1',
  "'; DROP TABLE samples; --",
  '{p0:String}',
  '__proto__',
  'constructor',
  '1e999',
  '-0',
  'NaN',
  'null',
  '0x10',
  '1970-01-01',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '+275760-09-13T00:00:00Z',
  '2026-02-30',
  '2026-03-29T02:30:00',
  '2026-03-02T08:00:00+99:99',
  '00000000-0000-0000-0000-000000000000',
] as const

const oddNumbers = [0, -0, -1, 0.1, 1e308, -1e308, 2 ** 31, 2 ** 32, 2 ** 53, 2 ** 53 + 2, 2 ** 63, 1e-320] as const

/** Puts an unusual value into one place of a JSON value, or removes an element. */
export function mutateValue(value: unknown, random: Random): unknown {
  if (Array.isArray(value) && value.length > 0 && random.chance(0.7)) {
    const at = random.integer(0, value.length)
    return value.map((item: unknown, index) => (index === at ? mutateValue(item, random) : item))
  }
  if (typeof value === 'object' && value !== null && Object.keys(value).length > 0 && random.chance(0.8)) {
    const entries = Object.entries(value)
    const [key, old] = entries[random.integer(0, entries.length)] ?? ['', null]
    const rest = Object.fromEntries(entries.filter(([name]) => name !== key))
    if (random.chance(0.1)) return rest
    if (random.chance(0.1)) return { ...rest, [random.pick(oddTexts)]: old }
    return { ...rest, [key]: mutateValue(old, random) }
  }
  return odd(value, random)
}

function odd(value: unknown, random: Random): unknown {
  switch (random.integer(0, 9)) {
    case 0:
      return null
    case 1:
      return random.chance(0.5)
    case 2:
      return random.pick(oddNumbers)
    case 3:
    case 4:
      return random.pick(oddTexts)
    case 5:
      return Array.from({ length: random.pick([0, 1, 30, 400]) }, () => value)
    case 6:
      return nested(random.pick([2, 20, 40, 1000]))
    case 7:
      return { [random.pick(oddTexts)]: value }
    default:
      return Object.fromEntries(Array.from({ length: random.pick([1, 50, 1500]) }, (_, index) => [`k${index}`, index]))
  }
}

function nested(levels: number): unknown {
  let value: unknown = 0
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

/** A JSON text with an error that no value can have: truncated, a repeated key, or invalid bytes. */
export function mutateText(json: string, random: Random): Buffer {
  const bytes = Buffer.from(json)
  switch (random.integer(0, 7)) {
    case 0:
      return bytes.subarray(0, random.integer(0, bytes.length + 1))
    case 1:
      return Buffer.from(json.replace('{', '{"__proto__":{"a":1},"a":1,"a":2,'))
    case 2: {
      const broken = Buffer.from(bytes)
      for (let times = 0; times < 5 && broken.length > 0; times++)
        broken[random.integer(0, broken.length)] = random.integer(0, 256)
      return broken
    }
    case 3:
      return Buffer.concat([Buffer.from('\ufeff'), bytes])
    case 4:
      return Buffer.from(json, 'utf16le')
    case 5:
      return Buffer.concat([bytes, bytes])
    default:
      return Buffer.from('['.repeat(random.pick([10, 5000, 200_000])))
  }
}

/** Encoding of a body: unchanged, compressed, or with a header that does not match. */
export function encode(
  body: Buffer,
  random: Random,
): { readonly body: Buffer; readonly headers: Record<string, string> } {
  if (random.chance(0.85)) return { body, headers: {} }
  switch (random.integer(0, 4)) {
    case 0:
      return { body: gzipSync(body), headers: { 'content-encoding': 'gzip' } }
    case 1:
      return { body, headers: { 'content-encoding': random.pick(['gzip', 'br', 'zstd', 'x']) } }
    case 2: {
      const packed = gzipSync(body)
      return { body: packed.subarray(0, packed.length >> 1), headers: { 'content-encoding': 'gzip' } }
    }
    default:
      return { body: gzipSync(Buffer.alloc(30_000_000, '[{}],')), headers: { 'content-encoding': 'gzip' } }
  }
}
