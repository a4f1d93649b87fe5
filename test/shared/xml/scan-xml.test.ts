import { assert } from 'chai'
import * as fc from 'fast-check'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scanXml, XmlError } from '../../../shared/xml/scan-xml.ts'
import { noteSkipped } from '../../support/skipped.ts'

/** Start tags with attributes, merged texts and end tags of a document; a string: the message of its fault. */
type Scanned = readonly unknown[] | string

function scan(text: string): Scanned {
  const events: unknown[] = []
  let content = ''
  const flush = () => {
    if (content !== '') events.push(content)
    content = ''
  }
  try {
    scanXml(text, {
      open: (name, attributes) => {
        flush()
        events.push([name, [...attributes]])
      },
      text: part => (content += part),
      close: name => {
        flush()
        events.push({ end: name })
      },
    })
  } catch (error) {
    if (!(error instanceof XmlError)) throw error
    return error.message
  }
  return events
}

/** Parses documents, one per line in JSON, with expat; prints the same form as `scan`, and null for an invalid document. */
const expat = `
import json, sys
from xml.parsers import expat
for line in open(sys.argv[1]):
    events = []
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.ordered_attributes = True
    parser.StartElementHandler = lambda name, attributes: events.append([name, attributes])
    parser.EndElementHandler = lambda name: events.append({'end': name})
    parser.CharacterDataHandler = events.append
    try:
        parser.Parse(json.loads(line).encode('utf-8'), True)
    except (expat.ExpatError, LookupError):
        events = None
    print(json.dumps(events))
`

function parseWithExpat(test: Mocha.Context, documents: readonly string[]): readonly (readonly unknown[] | null)[] {
  const file = join(mkdtempSync(join(tmpdir(), 'takt-xml-')), 'documents.json')
  writeFileSync(file, documents.map(text => JSON.stringify(text)).join('\n'))
  try {
    const output = execFileSync('python3', ['-c', expat, file], { encoding: 'utf8', maxBuffer: 1_000_000_000 })
    return output
      .trimEnd()
      .split('\n')
      .map((line): readonly unknown[] | null => JSON.parse(line))
  } catch (error) {
    if (process.env['CI'] || !(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    noteSkipped('comparison of XML with expat', 'install Python 3')
    return test.skip()
  }
}

const name = fc.constantFrom('a', 'b', 'x:Fault', 'Header', 'é-1.2', '_')
const text = fc
  .array(fc.constantFrom('a', '1.5', ' ', '\n', '\t', '\r\n', 'é', '😀', '&amp;', '&#65;', '&#x1F600;', '&#10;', '>'), {
    maxLength: 5,
  })
  .map(parts => parts.join(''))
const attribute = fc
  .tuple(name, text, fc.constantFrom('"', "'"), fc.constantFrom('', ' ', '\n'))
  .map(([key, value, quote, blank]) => ({ key, written: `${key}${blank}=${blank}${quote}${value}${quote}` }))
const { node } = fc.letrec<{ node: string }>(tie => ({
  node: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.constantFrom('<!-- c -->', '<![CDATA[<&]]]>', '<?p i?>', '<!---->', '<?p?>'),
    fc
      .tuple(
        name,
        fc.uniqueArray(attribute, { maxLength: 3, selector: ({ key }) => key }),
        fc.option(fc.array(tie('node'), { maxLength: 3 })),
        fc.constantFrom('', ' ', '\n'),
      )
      .map(([element, attributes, children, blank]) => {
        const start = [element, ...attributes.map(({ written }) => written)].join(' ')
        return children === null ? `<${start}${blank}/>` : `<${start}${blank}>${children.join('')}</${element}${blank}>`
      }),
  ),
}))
const document = fc
  .tuple(
    fc.constantFrom(
      '',
      '<?xml version="1.0" encoding="UTF-8"?>',
      "<?xml version='1.0' standalone='yes' ?>\n",
      '\ufeff',
    ),
    fc.constantFrom('', '<!-- c -->\n', '<?p?>'),
    fc.array(node, { maxLength: 4 }),
    fc.constantFrom('', '\n', '<!-- end -->'),
  )
  .map(([declaration, before, children, after]) => `${declaration}${before}<r>${children.join('')}</r>${after}`)
const mutation = fc.record({
  at: fc.nat(),
  length: fc.nat(3),
  by: fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom('', '<', '>', '&', ';', '"', "'", '/', '=', '!', '-', ']', '?', ' ', ':', '\0', '\r'),
    },
    fc.constantFrom(
      '<a>',
      '</a>',
      '<a/>',
      '<!--',
      '-->',
      ']]>',
      '<![CDATA[',
      '&#0;',
      '&#xD800;',
      '&#X41;',
      '&lt',
      '&b;',
    ),
    fc.constantFrom('<?xml version="1.0"?>', '<?XML?>', '<!DOCTYPE r>', '\ufffe', '\x0b', 'é', ' a="1"', '1'),
  ),
})
const mutated = fc.tuple(document, fc.array(mutation, { maxLength: 3 })).map(([whole, mutations]) =>
  mutations.reduce((result, { at, length, by }) => {
    const from = at % (result.length + 1)
    return result.slice(0, from) + by + result.slice(from + length)
  }, whole),
)

describe('XML scanner', () => {
  it('Accepts and reads the same documents as expat, mutated ones included', function () {
    const documents = fc.sample(mutated, { numRuns: 20_000 }).filter(one => Buffer.from(one).toString() === one)
    const expected = parseWithExpat(this, documents)
    let accepted = 0
    documents.forEach((one, i) => {
      const scanned = scan(one)
      // expat accepts an empty version, and rejects encodings that it does not support.
      const isRejectedByDesign =
        /DOCTYPE/.test(String(scanned)) || /version\s*=\s*(?:""|'')|encoding\s*=\s*(["'])(?!UTF-8\1)/i.test(one)
      if (isRejectedByDesign) return
      if (typeof scanned !== 'string') accepted++
      assert.deepEqual(
        typeof scanned === 'string' ? null : scanned,
        expected[i] ?? null,
        `${JSON.stringify(one)} ${String(scanned)}`,
      )
    })
    assert.isAbove(accepted, 4_000)
    assert.isAbove(documents.length - accepted, 4_000)
  })

  it('Line ends of all forms are line feeds, at every distance from the start', () => {
    for (const ends of ['\r', '\r\n', '\r\r\n', '\r\n\r', '\n\r']) {
      const expected = ends.replace(/\r\n?/g, '\n')
      for (let length = 65_530; length < 65_536; length++) {
        const before = 'x'.repeat(length - '<a>'.length)
        assert.deepEqual(scan(`<a>${before}${ends}y</a>`), [['a', []], `${before}${expected}y`, { end: 'a' }])
      }
    }
  })

  it('Returns the declared encoding', () => {
    const encodingOf = (declaration: string) =>
      scanXml(`${declaration}<a/>`, { open: () => undefined, text: () => undefined, close: () => undefined })
    assert.equal(encodingOf(`<?xml version="1.0" encoding='UTF-8' standalone="no" ?>`), 'utf-8')
    assert.isNull(encodingOf('<?xml version="1.0"?>'))
    assert.isNull(encodingOf(''))
  })

  const rejected: Readonly<Record<string, readonly [text: string, message: string]>> = {
    'a DOCTYPE': ['<!DOCTYPE a><a/>', 'character 0: a DOCTYPE is not accepted'],
    'an unknown entity': ['<a>1&nbsp;</a>', 'character 4: an unknown reference'],
    'an element without end': ['<a><b></b>', 'character 10: the element a has no end'],
    'a wrong end tag': ['<a></b>', 'character 3: the end tag b does not match its start tag'],
    'more than 100 levels': ['<a>'.repeat(101), 'character 300: more than 100 levels of elements'],
    'more than 256 attributes': [
      `<a ${Array.from({ length: 257 }, (_, i) => `b${i}=""`).join(' ')}/>`,
      'character 1945: more than 256 attributes of an element',
    ],
    'a long attribute': [`<a b="${'x'.repeat(65_537)}"/>`, 'character 5: an attribute is longer than 65536 characters'],
    'a long name': [`<${'x'.repeat(65_537)}/>`, 'character 1: a name is longer than 65536 characters'],
    'an empty document': ['', 'character 0: the document has no element'],
  }
  for (const [fault, [document, message]] of Object.entries(rejected)) {
    it(`Rejects a document with ${fault}`, () => {
      assert.equal(scan(document), `The XML is invalid at ${message}`)
    })
  }

  const hostile: Readonly<Record<string, string>> = {
    'open comments': '<!--',
    'open CDATA': '<![CDATA[',
    'open instructions': '<?a',
    'references without end': '&',
    quotes: '<a b="',
    'end tags': '</a>',
    brackets: ']]',
  }
  for (const [what, part] of Object.entries(hostile)) {
    it(`Rejects or accepts a document of 8 MB of ${what} in seconds`, () => {
      const startedMs = performance.now()
      scan(`<a>${part.repeat(8_000_000 / part.length)}</a>`)
      scan(`<a>${`${part}x`.repeat(8_000_000 / part.length)}`)
      assert.isBelow(performance.now() - startedMs, 4_000)
    })
  }
})
