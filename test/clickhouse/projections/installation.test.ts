import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { readInstallationRecord } from '../../../clickhouse/projections/stored-records.ts'
import { projectRecords } from '../../support/project-records.ts'
import type { RecordEntry } from '../../../schema/commands/command-log.ts'
import type { InstallationRecord } from '../../../schema/records/installation.ts'
import { useFreshDatabase } from '../../support/database.ts'

const at = '2026-03-02T08:00:00.000Z'

function entryOf(commandOffset: number, after: InstallationRecord): RecordEntry {
  const command = { id: randomUUID(), deadlineMs: 0, nowMs: 0, companyId: null, actor: 'test', name: 'test' }
  const change = { kind: 'installation', id: after.id, before: null, after } as const
  return { command, commandOffset, outcome: { ok: true, result: null }, changes: [change] }
}

describe('stored record of the installation', () => {
  const store = useFreshDatabase()

  it('The stored record of the installation is the newest one, and null without one', async () => {
    expect(await readInstallationRecord(store())).to.equal(null)
    const installationId = randomUUID()
    const fields = { id: 'installation', installationId, createdAt: at, adoptedAt: null, commandOffsetBase: 0 }
    for (const format of [1, 2]) {
      const entry = entryOf(format, { ...fields, format, highestRefs: {} })
      await projectRecords(store(), [entry])
      expect(await readInstallationRecord(store())).to.include({ format })
    }
  })
})
