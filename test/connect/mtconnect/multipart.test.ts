import { assert } from 'chai'
import * as fc from 'fast-check'
import { maxHeaderBytes, maxPartBytes, MultipartError, MultipartReader } from '../../../connect/mtconnect/multipart.ts'
import { cut } from './chunks.ts'

interface Result {
  readonly bodies: readonly string[]
  /** Message of the fault that ended the stream. */
  readonly fault: string | null
}

function read(contentType: string, chunks: readonly Uint8Array[]): Result {
  const bodies: string[] = []
  try {
    const reader = new MultipartReader(contentType)
    for (const chunk of chunks) for (const body of reader.push(chunk)) bodies.push(body.toString('latin1'))
    return { bodies, fault: null }
  } catch (error) {
    if (!(error instanceof MultipartError)) throw error
    return { bodies, fault: error.message }
  }
}

const readText = (contentType: string, text: string) => read(contentType, [Buffer.from(text, 'latin1')])

interface WrittenPart {
  readonly body: string
  readonly form: 'length' | 'headers' | 'bare'
  readonly lineEnd: string
  readonly extraLines: string
  readonly dashes: string
}

const boundaryName = 'a1-b2'
const char = fc.constantFrom('<', '>', 'x', '-', 'a1', 'a1-b', '\n', '\r\n', '\n--', '\0', 'ÿ')
const part: fc.Arbitrary<WrittenPart> = fc.record({
  body: fc.array(char, { maxLength: 30 }).map(chars => `<${chars.join('')}.`),
  form: fc.constantFrom('length', 'headers', 'bare'),
  lineEnd: fc.constantFrom('\n', '\r\n'),
  extraLines: fc.constantFrom('', '\n', '\r\n\r\n', '\n\r\n'),
  dashes: fc.constantFrom('--', '----', ''),
})
const contentTypes = fc.constantFrom(
  `multipart/x-mixed-replace;boundary=${boundaryName}`,
  `multipart/x-mixed-replace; charset=x; boundary=--${boundaryName}; a=b`,
  `multipart/mixed;Boundary = "--${boundaryName}"`,
  `Multipart/Mixed; boundary="${boundaryName}"`,
)

function written(parts: readonly WrittenPart[], isEnded: boolean): Buffer {
  const texts = parts.map(({ body, form, lineEnd, extraLines, dashes }) => {
    const lines = [`${dashes}${boundaryName}`]
    if (form !== 'bare') lines.push('Content-Type: text/xml')
    if (form === 'length') lines.push(`Content-length : ${body.length}`)
    if (form !== 'bare') lines.push('')
    // A body with a length may be followed by the delimiter without a line end.
    const end = form === 'length' ? extraLines : lineEnd
    return `${lines.join(lineEnd)}${lineEnd}${body}${end}`
  })
  return Buffer.from(`${texts.join('')}--${boundaryName}${isEnded ? '--' : ''}\n`, 'latin1')
}

const borders = fc.array(fc.nat(2000), { maxLength: 12 })

describe('MTConnect multipart reader', () => {
  it('Written parts are read as they were written, with chunk borders anywhere', () => {
    const property = fc.property(
      contentTypes,
      fc.array(part, { maxLength: 6 }),
      borders,
      fc.boolean(),
      (type, parts, at, isEnded) => {
        const { bodies, fault } = read(type, cut(written(parts, isEnded), at))
        assert.isNull(fault)
        assert.deepEqual(
          bodies,
          parts.map(({ body }) => body),
        )
      },
    )
    fc.assert(property, { numRuns: 5_000 })
  })

  it('Mutated streams give the same parts and the same fault for all chunk borders', () => {
    const mutation = fc.record({
      at: fc.nat(),
      length: fc.nat(6),
      by: fc.oneof(
        fc.uint8Array({ maxLength: 3 }),
        fc
          .constantFrom('\n', '\r', '--', boundaryName, 'Content-length: 3\n', ':', '\n\n', '"')
          .map(text => Buffer.from(text)),
      ),
    })
    const property = fc.property(
      contentTypes,
      fc.array(part, { maxLength: 6 }),
      fc.array(mutation, { maxLength: 5 }),
      borders,
      (type, parts, mutations, at) => {
        let bytes = written(parts, true)
        for (const { at: position, length, by } of mutations) {
          const from = position % (bytes.length + 1)
          bytes = Buffer.concat([bytes.subarray(0, from), by, bytes.subarray(from + length)])
        }
        const whole = read(type, [bytes])
        assert.deepEqual(read(type, cut(bytes, at)), whole)
        assert.isAtMost(whole.bodies.join('').length, bytes.length)
      },
    )
    fc.assert(property, { numRuns: 20_000 })
  })

  it('A part with a Content-length is complete before the next delimiter arrives', () => {
    const text = `--b\r\nContent-type: text/xml\r\nContent-length: 4\r\n\r\n<a/>`
    assert.deepEqual(readText('multipart/mixed;boundary=b', text).bodies, ['<a/>'])
  })

  it('Text before the first delimiter and after the last one is ignored', () => {
    const reader = new MultipartReader('multipart/mixed;boundary=b')
    const bytes = Buffer.from('preamble\nb--c\n--b\n\n<a/>\n--b--\n--b\n\n<b/>\n--b\n')
    const bodies = [...reader.push(bytes)].map(String)
    assert.deepEqual(bodies, ['<a/>'])
    assert.isTrue(reader.isEnded)
  })

  it('A line that only contains the boundary is not a delimiter', () => {
    const { bodies } = readText('multipart/mixed;boundary=b', '--b\n\n<a>\n--bc\n--b c\nx--b\n</a>\n--b\n')
    assert.deepEqual(bodies, ['<a>\n--bc\n--b c\nx--b\n</a>'])
  })

  describe('faults', () => {
    const type = 'multipart/mixed;boundary=b'
    const rejected: Readonly<Record<string, readonly [contentType: string, text: string, message: string]>> = {
      'a content type that is not multipart': ['text/xml', '', 'The content type is not multipart: text/xml'],
      'a content type without boundary': [
        'multipart/mixed',
        '',
        'The content type has no boundary of 1 to 256 characters: multipart/mixed',
      ],
      'a boundary of dashes only': [
        'multipart/mixed;boundary=--',
        '',
        'The content type has no boundary of 1 to 256 characters: multipart/mixed;boundary=--',
      ],
      'a header without name': [type, '--b\nx\n', 'A header of a part has no name: x'],
      'a Content-length that is not a number': [
        type,
        '--b\ncontent-length: -1\n',
        'The Content-length of a part is not a number: -1',
      ],
      'two different Content-lengths': [
        type,
        '--b\nContent-length: 1\nContent-length: 2\n',
        'A part has two Content-lengths: 1 and 2',
      ],
      'a Content-length that is too small': [
        type,
        '--b\nContent-length: 2\n\n<a/>\n--b\n',
        'The boundary does not follow a part: its Content-length is wrong',
      ],
      'a Content-length above 64 MiB': [
        type,
        `--b\nContent-length: ${maxPartBytes + 1}\n`,
        'A part is longer than 67108864 bytes',
      ],
      'headers above the limit': [
        type,
        `--b\n${'a: b\n'.repeat(maxHeaderBytes / 5 + 1)}`,
        'The lines before a part are longer than 16384 bytes',
      ],
      'a header line without end': [
        type,
        `--b\n${'a'.repeat(maxHeaderBytes + 1)}`,
        'The lines before a part are longer than 16384 bytes',
      ],
      'a long text before the first delimiter': [
        type,
        'a\n'.repeat(maxHeaderBytes / 2 + 1),
        'The lines before a part are longer than 16384 bytes',
      ],
    }
    for (const [name, [contentType, text, message]] of Object.entries(rejected)) {
      it(`A stream is rejected for ${name}`, () => {
        assert.equal(readText(contentType, text).fault, message)
      })
    }

    it('A body without Content-length above 64 MiB is rejected, and memory is bounded', () => {
      const reader = new MultipartReader(type)
      const chunk = Buffer.alloc(1_048_576, 'x')
      const push = (bytes: Uint8Array) => [...reader.push(bytes)]
      push(Buffer.from('--b\na: b\n\n'))
      for (let i = 0; i < 64; i++) push(chunk)
      assert.throws(() => push(chunk), 'A part is longer than 67108864 bytes')
    })

    it('A body of 64 MiB in small chunks is read in seconds', () => {
      const startedMs = performance.now()
      const body = Buffer.alloc(maxPartBytes, `${'x'.repeat(60)}\n-b-`)
      const bytes = Buffer.concat([Buffer.from('--b\na: b\n\n'), body, Buffer.from('\n--b\n')])
      const reader = new MultipartReader(type)
      const lengths: number[] = []
      for (let at = 0; at < bytes.length; at += 16_384)
        for (const { length } of reader.push(bytes.subarray(at, at + 16_384))) lengths.push(length)
      assert.deepEqual(lengths, [maxPartBytes])
      assert.isAtMost(performance.now() - startedMs, 20_000)
    })
  })
})
