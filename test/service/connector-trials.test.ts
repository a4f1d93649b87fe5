import { once } from 'node:events'
import { createServer } from 'node:net'
import { assert } from 'chai'
import { Records } from '../../processors/records/records.ts'
import { ApiError } from '../../schema/errors.ts'
import { ConnectorTrials } from '../../service/connector-trials.ts'

describe('trials of connectors in a process that stops', () => {
  it('A discovery in progress ends with 503', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    try {
      await once(server, 'listening')
      const trials = new ConnectorTrials({ records: new Records(), allows: () => true, clock: Date.now })
      const address = server.address()
      const port = address !== null && typeof address === 'object' ? address.port : 0
      const connected = once(server, 'connection')
      const source = { kind: 'mtconnect', address: `http://127.0.0.1:${port}`, seconds: 60 } as const
      const found = trials.port.discover(source, new AbortController().signal).catch((error: unknown) => error)
      await connected
      trials.stop()
      const error = await found
      assert.instanceOf(error, ApiError)
      assert.include(error, { status: 503 })
    } finally {
      server.close()
    }
  })
})
