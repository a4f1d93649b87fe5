import { assert } from 'chai'
import * as fc from 'fast-check'
import { readDocument } from '../../../connect/mtconnect/document.ts'
import { DocumentError } from '../../../connect/mtconnect/document-error.ts'
import type { StreamObservation } from '../../../connect/mtconnect/observations.ts'

const header = '<Header creationTime="2024-05-06T07:00:00Z" instanceId="1" nextSequence="9"/>'
const streams = (content: string) => `<MTConnectStreams>${header}<Streams>${content}</Streams></MTConnectStreams>`

function observationsOf(text: string): readonly StreamObservation[] {
  const document = readDocument(Buffer.from(text))
  if (document.kind !== 'streams') throw new Error(`The document has the kind ${document.kind}`)
  return document.observations
}

function faultOf(text: string | Uint8Array): string | null {
  try {
    readDocument(typeof text === 'string' ? Buffer.from(text) : text)
    return null
  } catch (error) {
    if (error instanceof DocumentError) return error.message
    throw error
  }
}

interface Written {
  readonly device: 'Mill' | 'Lathe'
  readonly section: 'Samples' | 'Events' | 'Condition'
  readonly element: string
  readonly attributes: Readonly<Record<string, string>>
  readonly text: string
  readonly entries: readonly { readonly key: string; readonly value: string; readonly isRemoved: boolean }[]
}

const anyText = fc
  .array(fc.constantFrom('a', '1', ' ', '<', '>', '&', '"', "'", 'é', '😀', ']]>', '\r', '\n', '&lt;'), {
    maxLength: 5,
  })
  .map(parts => parts.join(''))
const written: fc.Arbitrary<Written> = fc.record({
  device: fc.constantFrom('Mill', 'Lathe'),
  section: fc.constantFrom('Samples', 'Events', 'Condition'),
  element: fc.constantFrom('Execution', 'x:Fault', 'PathFeedrate', 'Normal', 'VariableDataSet'),
  attributes: fc.dictionary(
    fc.constantFrom('name', 'subType', 'nativeCode', 'conditionId', 'qualifier', 'statistic', 'other'),
    anyText,
  ),
  text: anyText,
  entries: fc.oneof(
    fc.constant([]),
    fc.array(fc.record({ key: anyText, value: anyText, isRemoved: fc.boolean() }), { maxLength: 3 }),
  ),
})

/** Writes a text by references, or by CDATA where it is possible. */
function escaped(text: string, isCdata: boolean): string {
  if (isCdata && !/\]\]>|\r/.test(text)) return `<![CDATA[${text}]]>`
  return Array.from(text, char => (/[a1é]/.test(char) ? char : `&#${char.codePointAt(0)};`)).join('')
}

function writtenDocument(observations: readonly Written[], order: readonly number[], prefix: string): string {
  const tag = (name: string) => (name.includes(':') ? name : prefix + name)
  const parts = observations.map(({ device, section, element, attributes, text, entries }, i) => {
    const all = { ...attributes, dataItemId: `i${i}`, timestamp: `2024-05-06T06:00:0${i}Z`, sequence: String(order[i]) }
    const list = Object.entries(all).map(([name, value]) => ` ${name}="${escaped(value, false)}"`)
    const children = entries.map(
      ({ key, value, isRemoved }) =>
        `\n<${tag('Entry')} key="${escaped(key, false)}"${isRemoved ? ' removed="true"' : ''}>${escaped(value, true)}</${tag('Entry')}>`,
    )
    const content = entries.length > 0 ? children.join('') : escaped(text, i % 2 === 0)
    const observation = `<${tag(element)}${list.join('')}><!-- c -->${content}</${tag(element)}>`
    return `<${tag('DeviceStream')} name="${device}" uuid="u-${device}"><${tag('ComponentStream')}><${tag(section)}>${observation}</${tag(section)}></${tag('ComponentStream')}></${tag('DeviceStream')}>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\r\n<${tag('MTConnectStreams')} xmlns:m="urn:mtconnect.org:MTConnectStreams:2.0"><${tag('Header')} instanceId="18446744073709551615" creationTime="2024-05-06T07:00:00.123456Z" firstSequence="1" lastSequence="8" nextSequence="9" bufferSize="131072"/><${tag('Streams')}>${parts.join('\n')}</${tag('Streams')}></${tag('MTConnectStreams')}>`
}

const categories = { Samples: 'SAMPLE', Events: 'EVENT', Condition: 'CONDITION' } as const
const documents = fc.array(written, { maxLength: 8 }).chain(observations =>
  fc.record({
    observations: fc.constant(observations),
    order: fc.shuffledSubarray([1, 2, 3, 4, 5, 6, 7, 8], {
      minLength: observations.length,
      maxLength: observations.length,
    }),
    prefix: fc.constantFrom('', 'm:', 'mt:'),
  }),
)

describe('MTConnect document', function () {
  it('Written observations are read as they were written, sorted by sequence', () => {
    const property = fc.property(documents, ({ observations, order, prefix }) => {
      const read = observationsOf(writtenDocument(observations, order, prefix))
      const expected = observations
        .map((one, i) => ({ one, i, sequence: order[i] ?? 0 }))
        .sort((a, b) => a.sequence - b.sequence)
      assert.deepEqual(
        read.map(({ sequence }) => sequence),
        expected.map(({ sequence }) => sequence),
      )
      expected.forEach(({ one, i }, index) => {
        const { device, category, element, dataItemId, timestamp, text, entries, ...attributes } =
          read[index] ?? assert.fail()
        assert.deepEqual(device, { name: one.device, uuid: `u-${one.device}` })
        assert.deepEqual([category, element, dataItemId], [categories[one.section], one.element, `i${i}`])
        assert.equal(timestamp, `2024-05-06T06:00:0${i}Z`)
        assert.equal(text, one.entries.length > 0 ? '' : one.text.trim())
        assert.deepEqual(
          entries.map(({ key, value, isRemoved }) => ({ key, value, isRemoved })),
          one.entries.map(({ key, value, isRemoved }) => ({ key, value: value.trim(), isRemoved })),
        )
        for (const [name, value] of Object.entries(attributes))
          if (name !== 'sequence') assert.equal(value, one.attributes[name] ?? '')
      })
    })
    fc.assert(property, { numRuns: 2_000 })
  })

  it('Mutated documents are read or rejected with a DocumentError', () => {
    const mutation = fc.record({
      at: fc.nat(),
      length: fc.nat(8),
      by: fc.oneof(
        fc.uint8Array({ maxLength: 2 }),
        fc
          .constantFrom(
            '<',
            '>',
            '"',
            '</Entry>',
            '<Cell key="a">',
            '<Events>',
            '</m:Events>',
            ' sequence="1"',
            '&',
            ':',
          )
          .map(text => Buffer.from(text)),
      ),
    })
    const property = fc.property(
      documents,
      fc.array(mutation, { maxLength: 4 }),
      ({ observations, order, prefix }, list) => {
        let bytes = Buffer.from(writtenDocument(observations, order, prefix))
        for (const { at, length, by } of list) {
          const from = at % (bytes.length + 1)
          bytes = Buffer.concat([bytes.subarray(0, from), by, bytes.subarray(from + length)])
        }
        faultOf(bytes)
      },
    )
    fc.assert(property, { numRuns: 4_000 })
  })

  it('The header is read, with numbers up to 64 bits', () => {
    const { header } = readDocument(Buffer.from(writtenDocument([], [], '')))
    assert.deepEqual(header, {
      instanceId: '18446744073709551615',
      creationUs: Date.parse('2024-05-06T07:00:00Z') * 1000 + 123_456,
      firstSequence: 1,
      lastSequence: 8,
      nextSequence: 9,
      bufferSize: 131_072,
    })
  })

  it('Sequences above 2^53 are read and sorted exactly', () => {
    const sequences = ['18446744073709551615', '7', '9007199254740993', '9007199254740992', '9007199254740991']
    const text = streams(sequences.map(one => `<A dataItemId="i" sequence="${one}"/>`).join(''))
    assert.deepEqual(
      observationsOf(text).map(({ sequence }) => sequence),
      [7, 9_007_199_254_740_991, 9_007_199_254_740_992n, 9_007_199_254_740_993n, 18_446_744_073_709_551_615n],
    )
  })

  it('Elements without dataItemId or with an invalid sequence are not observations', () => {
    const text = streams(
      '<A dataItemId="i"/><A sequence="1"/><A dataItemId="i" sequence="-1"/><A dataItemId="i" sequence="18446744073709551616"/><A dataItemId="i" sequence="2">x</A>',
    )
    assert.deepEqual(
      observationsOf(text).map(({ text }) => text),
      ['x'],
    )
  })

  it('Rows of a table have cells', () => {
    const [observation] = observationsOf(
      streams(
        '<T dataItemId="i" sequence="1"><Entry key="r"><Cell key="x">1</Cell>\n<Cell key="y"> a b </Cell></Entry><Entry key="s" removed="true"/></T>',
      ),
    )
    const cell = (key: string, value: string) => ({ key, value, isRemoved: false, cells: null })
    assert.deepEqual(observation?.entries, [
      { key: 'r', isRemoved: false, value: '', cells: [cell('x', '1'), cell('y', 'a b')] },
      { key: 's', isRemoved: true, value: '', cells: null },
    ])
  })

  const error = (content: string) =>
    readDocument(Buffer.from(`<MTConnectError>${header}<Errors>${content}</Errors></MTConnectError>`))

  it('Errors are read as attribute and as element', () => {
    for (const [content, code] of [
      ['<Error errorCode="OUT_OF_RANGE">from\n<!-- c -->too small</Error>', 'OUT_OF_RANGE'],
      ['<OutOfRange errorCode="OUT_OF_RANGE"><ErrorMessage>from too small</ErrorMessage></OutOfRange>', 'OUT_OF_RANGE'],
      ['<OutOfRange><ErrorMessage>from</ErrorMessage><Value>too small</Value></OutOfRange>', 'OUT_OF_RANGE'],
      ['<Error errorCode="NO_DEVICE">from too small</Error>', 'NO_DEVICE'],
    ] as const) {
      const document = error(content)
      const errors = document.kind === 'error' ? document.errors : []
      assert.deepEqual(
        errors.map(one => [one.code, one.message.replace(/\s+/g, ' ')]),
        [[code, 'from too small']],
      )
    }
  })

  it('Number and length of errors are limited', () => {
    const document = error(`<Error errorCode="A">${'<b/>xyz'.repeat(10_000)}</Error>`.repeat(200))
    assert.isTrue(document.kind === 'error' && document.errors.length === 100)
    assert.isTrue(document.kind === 'error' && document.errors.every(({ message }) => message.length === 1_000))
  })

  const rejected: Readonly<Record<string, readonly [string | Uint8Array, string]>> = {
    'bytes that are not UTF-8': [Buffer.from('<a>\xe9</a>', 'latin1'), 'The document is not UTF-8'],
    'a document without header': ['<MTConnectStreams/>', 'The document MTConnectStreams has no Header'],
    'another document': [
      `<html>${header}</html>`,
      'The document html is not an MTConnect document of streams, devices or errors',
    ],
    'a document that ends early': [
      `<MTConnectStreams>${header}`,
      'The XML is invalid at character 95: the element MTConnectStreams has no end',
    ],
    'another encoding': [
      `<?xml version="1.0" encoding="ISO-8859-1"?><MTConnectStreams>${header}</MTConnectStreams>`,
      'The encoding iso-8859-1 of the document is not supported: use UTF-8',
    ],
    'a DOCTYPE': ['<!DOCTYPE a><a/>', 'The XML is invalid at character 0: a DOCTYPE is not accepted'],
    'more than 500,000 observations': [
      streams('<A dataItemId="i" sequence="1"/>'.repeat(500_001)),
      'The document has more than 500000 observations and entries',
    ],
  }
  for (const [name, [text, message]] of Object.entries(rejected)) {
    it(`Rejects ${name}`, () => {
      assert.equal(faultOf(text), message)
    })
  }
})
