import { assert } from 'chai'
import { recordSource } from '../../../connect/try/record-source.ts'
import { ConnectorTrial } from '../../../connect/try/try-connector.ts'
import { toConnector } from '../../../processors/registrar/commands/connector.ts'
import { Adapter } from '../shdr/adapter.ts'

const nowMs = Date.parse('2026-11-23T09:00:00Z')
const machineId = '0d5a6a3e-5d0b-4f60-9a3c-1d2f7c0b8e11'

describe('recording of a source', () => {
  let adapter: Adapter
  const connectorOf = (address: string) => {
    const rules = [{ from: 'DB10.W4', key: 'execution', type: 'EXECUTION', map: { 3: 'ACTIVE' } }]
    const input = {
      id: 's',
      name: 'A',
      kind: 'shdr' as const,
      address,
      machines: [{ source: 'Mill', machineId }],
      rules,
    }
    return toConnector(input, '', null)
  }
  const options = (signal: AbortSignal, onLine: (line: string) => void) => ({
    secrets: {},
    signal,
    clock: () => nowMs,
    onLine,
  })

  beforeEach(async () => (adapter = await Adapter.start()))
  afterEach(() => adapter.close())

  it('Recorded lines of an adapter give the samples that the connector would deliver', async () => {
    adapter.send({ key: 'DB10.W4', value: '3', ms: nowMs })
    const connector = connectorOf(adapter.address)
    const stop = new AbortController()
    const lines: string[] = []
    const onLine = (line: string) => {
      lines.push(line)
      if (!line.startsWith('*')) stop.abort()
    }
    await recordSource(connector, options(stop.signal, onLine))
    const trial = new ConnectorTrial(connector, nowMs)
    const samples: string[] = []
    for await (const { key, value } of trial.lines(iterate(lines))) samples.push(`${key} ${value}`)
    assert.deepEqual(samples, ['execution ACTIVE'])
  })

  it('An adapter that ends the connection is an error', async () => {
    const recording = recordSource(
      connectorOf(adapter.address),
      options(new AbortController().signal, () => adapter.cut()),
    )
    const [error] = await Promise.allSettled([recording])
    assert.equal(error.status, 'rejected')
  })
})

async function* iterate(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines
}
