import { expect } from 'chai'
import { lookup } from 'node:dns'
import { preview } from '../../../connect/try/preview.ts'
import type { ReadSource } from '../../../connect/source/source.ts'
import { toConnector } from '../../../processors/registrar/commands/connector.ts'
import { defaultMachineSettings, stateSettings } from '../../../schema/records/machine.ts'
import type { PreviewUpdate } from '../../../schema/requests/connector-trial.ts'
import { aborted } from '../../../shared/async/waiting.ts'
import { usedHeapMb } from '../../support/heap.ts'

const nowMs = Date.parse('2026-03-02T08:00:00Z')
const input = { id: 'trial', name: 'PLC', kind: 'mqtt', address: 'mqtt://broker' } as const

/** Returns the updates of a preview until its end. */
async function previewOf(read: ReadSource): Promise<readonly PreviewUpdate[]> {
  const updates: PreviewUpdate[] = []
  const running = preview({
    connector: toConnector(input, 'company', null),
    secrets: {},
    read,
    lookup,
    settingsOf: () => stateSettings(defaultMachineSettings),
    clock: () => nowMs,
    signal: new AbortController().signal,
  })
  for await (const update of running) updates.push(update)
  return updates
}

const sampleOf = (value: string) => ({
  machineId: 'mill',
  timestamp: new Date(nowMs).toISOString(),
  key: 'program',
  type: 'PROGRAM',
  value,
})

describe('preview', () => {
  it('A source sends the next body when the last one has been read', async () => {
    const body = Buffer.from(JSON.stringify(Array.from({ length: 2_000 }, (_, i) => sampleOf(String(i)))))
    const counts: number[] = []
    await previewOf(async session => {
      for (let count = 0; count < 3; count++) {
        let isRead = false
        session.deliverBody(body).then(
          () => (isRead = true),
          () => undefined,
        )
        await session.waitForSpace()
        counts.push(isRead ? 1 : 0)
      }
    })
    expect(counts).to.deep.equal([1, 1, 1])
  })

  it('The samples of a preview do not keep the documents from which they were read', async () => {
    const beforeMb = usedHeapMb()
    let mb = 0
    await previewOf(async session => {
      for (let count = 0; count < 20; count++) {
        const document = Buffer.from(`${'x'.repeat(2 << 20)}program ${count} of the machine`).toString()
        await session.deliver([sampleOf(document.slice(2 << 20))])
      }
      mb = usedHeapMb() - beforeMb
    })
    expect(mb).to.be.below(10)
  })

  it('A preview ends at 1 MiB of values', async () => {
    const updates = await previewOf(async session => {
      for (let count = 0; count < 100; count++) await session.deliver([sampleOf(`${count}${'x'.repeat(16_000)}`)])
      await aborted(session.signal)
    })
    const last = updates.at(-1)
    expect(last?.state).to.equal('disabled')
    expect(last?.problem).to.match(/values of 1048576 characters/)
    expect(last?.sampleCount).to.equal(66)
  })
})
