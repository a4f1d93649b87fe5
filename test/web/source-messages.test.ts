import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { assert, expect } from 'chai'
import { failureWords } from '../../connect/source/describe-failure.ts'
import { addressProblem } from '../../schema/records/connector-address.ts'
import { connectorKinds } from '../../schema/records/connector.ts'
import { germanSourceMessage } from '../../web/texts/source-messages.de.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Folders and files whose messages the health, the preview and the trial of a connector show. */
const places = ['connect', 'ingest/mapping', 'service/connectors.ts', 'service/secret-folder.ts']
/** Functions and classes whose first argument is a message. */
const reporters = [
  ['SourceError', 'DocumentError', 'MultipartError', 'Problem', 'unavailable'],
  ['warn', 'onProblem', 'stop', 'add', 'skip'],
].flat()
/** Messages that the pages do not show. */
const elsewhere = new Set(['A source of the kind % cannot be recorded'])

function sourceFiles(): readonly string[] {
  return places.flatMap(place => {
    if (place.endsWith('.ts')) return [join(root, place)]
    return readdirSync(join(root, place), { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.ts'))
      .map(name => join(root, place, name))
  })
}

const literal = String.raw`(?:\`[^\`]*\`|'[^']*')`
const reported = new RegExp(String.raw`\b(?:${reporters.join('|')})\(\s*(${literal}(?:\s*\+\s*${literal})*)`, 'g')

/** The messages of a file, with `%` for each part that is computed. */
function messagesOf(path: string): readonly string[] {
  const texts = [...readFileSync(path, 'utf8').matchAll(reported)].map(([, expression = '']) =>
    expression.replaceAll(/\$\{[^}]*\}/g, '%').replaceAll(/[`']\s*\+\s*[`']|^[`']|[`']$/g, ''),
  )
  // A message has words, unlike the name of an event or a key.
  return texts.filter(text => /[a-z%] [a-z%]/.test(text) && !/^[% ]*$/.test(text))
}

describe('German problems of connectors', () => {
  it('Every message of a connector has a translation, which keeps its parts in order', () => {
    const messages = sourceFiles()
      .flatMap(messagesOf)
      .filter(text => !elsewhere.has(text))
    assert.isAbove(messages.length, 60)
    const untranslated = messages.filter(text => {
      let parts = 0
      const filled = text.replaceAll('%', () => `Part${++parts}`)
      const german = germanSourceMessage(filled)
      const kept = (german.match(/Part\d/g) ?? []).join('')
      return german === filled || kept !== (filled.match(/Part\d/g) ?? []).join('')
    })
    expect([...new Set(untranslated)]).to.deep.equal([])
  })

  it('A failure of Node within a message is translated, and its own text stays', () => {
    expect(
      germanSourceMessage(
        'The agent http://127.0.0.1:9 cannot be read: nothing accepts connections at this address (connect ECONNREFUSED 127.0.0.1:9)',
      ),
    ).to.equal(
      'Der Agent http://127.0.0.1:9 ist nicht lesbar: unter dieser Adresse nimmt nichts Verbindungen an (connect ECONNREFUSED 127.0.0.1:9)',
    )
  })

  it('Every failure of a connection is translated', () => {
    const known = Object.values(failureWords).map(words => `${words} (reason)`)
    assert.isAbove(known.length, 20)
    expect(known.filter(text => !/^.+\(reason\)$/.test(germanSourceMessage(text)))).to.deep.equal([])
    expect(known.filter(text => germanSourceMessage(text) === text)).to.deep.equal([])
  })

  it('A value gave no sample: its reason is translated, and its example stays', () => {
    expect(germanSourceMessage('A message gave no sample: rules[0].map has no such text: plant/a 7: x')).to.equal(
      'Eine Nachricht ergab keinen Wert: rules[0].map hat diesen Text nicht: plant/a 7: x',
    )
  })

  it('Faults of addresses are translated', () => {
    const addresses = ['x', 'tcp://', 'tcp://ann:x@host', 'tcp://host/path']
    const problems = connectorKinds.flatMap(kind => addresses.map(address => addressProblem(kind, address) ?? ''))
    const shown = problems.filter(text => text !== '' && !text.startsWith('must be null'))
    assert.isAbove(new Set(shown).size, 4)
    for (const problem of shown) assert.notEqual(germanSourceMessage(`address ${problem}`), `address ${problem}`)
  })

  it('Another message stays as it is', () => {
    expect(germanSourceMessage('self-signed certificate')).to.equal('self-signed certificate')
  })
})
