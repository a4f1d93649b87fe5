import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createAuditProjection, readAudit } from '../../../clickhouse/projections/audit.ts'
import { readRecordChanges } from '../../../clickhouse/projections/record-changes.ts'
import type { AuditItem, AuditQuery } from '../../../schema/requests/audit.ts'
import type { RecordEntry } from '../../../schema/commands/command-log.ts'
import { Plant, hour, startMs } from '../../processors/registrar/plant.ts'
import { useFreshDatabase } from '../../support/database.ts'

for (const kind of ['embedded', 'front'] as const) {
  describe(`audit trail (${kind})`, () => {
    const store = useFreshDatabase(kind)
    let plant: Plant

    beforeEach(async () => {
      await store().command({ parts: ['TRUNCATE TABLE audit'] })
      plant = new Plant()
    })

    const project = (entries: readonly RecordEntry[] = plant.entries) =>
      createAuditProjection(store()).project(entries, plant.records)
    const page = (query: AuditQuery = {}, companyId = plant.companyId) => readAudit(store(), companyId, query)
    const told = ({ kind: what, action, fields }: AuditItem) => `${what} ${action} ${fields.join(',')}`.trim()

    it('The audit trail lists every change with its actor, time, command, and the record before and after it', async () => {
      const reason = plant.result('downtimeReason.put', { name: 'Tool' })
      plant.nowMs = startMs + 3_600_000
      plant.result('downtimeReason.put', { id: reason.id, name: 'Tool change', planned: true })
      plant.result('downtimeReason.delete', { id: reason.id })
      await project()
      const { items, cursor } = await page()
      expect(cursor).to.equal(null)
      expect(items.map(told)).to.deep.equal([
        'downtimeReason deleted',
        'downtimeReason changed name,planned',
        'downtimeReason created',
        'company created',
      ])
      const [, changed] = items
      expect(changed).to.deep.include({ at: hour(1), command: 'downtimeReason.put', id: String(reason.id) })
      expect(changed?.before).to.deep.include({ name: 'Tool', planned: false })
      expect(changed?.after).to.deep.include({ name: 'Tool change', planned: true })
    })

    it('The actor of an audited change is a key, a user or a component of the service', async () => {
      const key = plant.result('key.create', { name: 'ERP', scopes: [], hash: 'ab'.repeat(32) })
      plant.result('downtimeReason.put', { name: 'One' })
      const [made, entry] = plant.entries.slice(-2)
      if (!made || !entry) throw new Error('The audit trail is empty')
      const { command } = entry
      const by = { kind: 'user', name: 'Ada' } as const
      await project([
        { ...entry, command: { ...command, actor: 'u1', by }, commandOffset: 1 },
        { ...entry, command: { ...command, actor: key.id }, commandOffset: 2 },
        { ...entry, command: { ...command, actor: 'service' }, commandOffset: 3 },
      ])
      expect((await page()).items.map(({ actor }) => actor)).to.deep.equal([
        { id: 'service', kind: 'service', name: 'service' },
        { id: key.id, kind: 'key', name: 'ERP' },
        { id: 'u1', kind: 'user', name: 'Ada' },
      ])
      expect((await page({ actor: 'u1' })).items).to.have.lengthOf(1)
    })

    it('The audit trail lists a changed secret without its value, and its table contains no secret', async () => {
      const secrets = ['hash-of-ada', 'another-hash', 'cd'.repeat(32), 'ef'.repeat(32), 'sealed-password'] as const
      const [first, second, keyHash, sessionId, password] = secrets
      const ada = { email: 'a@b.de', displayName: 'Ada', role: 'manager', passwordHash: first } as const
      const user = plant.result('user.create', ada)
      plant.result('key.create', { name: 'BI', scopes: [], hash: keyHash })
      const broker = { id: 'b', name: 'Broker', kind: 'mqtt', address: 'mqtt://broker' } as const
      plant.result('connector.put', { ...broker, secrets: { password } })
      plant.result('token-secret.make', {})
      const times = { expiresAt: hour(10), idleSince: hour(-10) }
      plant.result('session.start', { id: sessionId, userId: user.id, passwordHash: first, ...times })
      plant.result('session.touch', { id: sessionId })
      plant.result('user.patch', { id: user.id, passwordHash: second })
      await project()
      const { items } = await page()
      expect(items.map(told)).to.deep.equal([
        'session deleted',
        'user changed passwordHash',
        'session created',
        'company changed tokenSecret',
        'connector created',
        'key created',
        'user created',
        'company created',
      ])
      const text = JSON.stringify(items)
      const tokenSecret = plant.records.company(plant.companyId)?.tokenSecret ?? 'none'
      for (const secret of [...secrets, tokenSecret]) expect(text).not.to.include(secret)
      expect(items[1]?.after).to.include({ passwordHash: 'redacted', email: 'a@b.de' })
      const stored = await store().query({ parts: ['SELECT * FROM audit'] })
      for (const secret of [...secrets, tokenSecret]) expect(JSON.stringify(stored)).not.to.include(secret)
    })

    it('The audit trail lists incidents without their notices and comments, and no change of only notices', async () => {
      plant.result('alertTarget.put', { id: 't', name: 'Shift', kind: 'mail', addresses: ['shift@example.com'] })
      const steps = [{ afterMs: 0, until: 'resolved', targets: ['t'] }] as const
      const condition = { stop: { reasons: [] } }
      plant.result('alertRule.put', { id: 'r', name: 'Stop', severity: 'info', condition, steps })
      const { fence } = plant.result('claim', { partition: 0, owner: 'test' }, { companyId: null })
      const id = randomUUID()
      const subject = { type: 'machine', id: plant.machine(), name: 'Lathe' } as const
      const times = { startedAt: hour(0), openedAt: hour(0), endedAt: null, reopened: 0 }
      const opened = { type: 'open', id, ruleId: 'r', activeFrom: hour(0), subject, detail: {}, times } as const
      plant.result('incident.evaluate', { partition: 0, fence, changes: [opened] })
      const step = { type: 'step', id, step: 1, repeat: 0 } as const
      plant.result('incident.evaluate', { partition: 0, fence, changes: [step] })
      const by = { kind: 'user', id: randomUUID(), name: 'Ann' } as const
      plant.result('incident.comment', { id, text: 'Looked at it', by })
      await project()
      const { items } = await page({ kind: 'incident' })
      expect(items.map(told)).to.deep.equal(['incident changed comments', 'incident created'])
      for (const { after } of items) expect(after).to.include({ id }).and.not.have.any.keys('notices', 'comments')
    })

    it('The last change of a record with a time is found by machine, also that of a deleted record', async () => {
      const [changed, other, unchanged] = [plant.machine(), plant.machine(), plant.machine()]
      const reason = plant.result('downtimeReason.put', { name: 'Tool' })
      const annotate = (machineId: string) => {
        const id = randomUUID()
        plant.result('annotation.put', { id, machineId, reasonId: reason.id, startAt: hour(-1), endAt: hour(0) })
        return id
      }
      annotate(unchanged)
      plant.nowMs = startMs + 1_000
      const deleted = annotate(changed)
      plant.nowMs = startMs + 2_000
      annotate(other)
      plant.nowMs = startMs + 3_000
      plant.result('annotation.delete', { id: deleted })
      await project()
      const found = await readRecordChanges(store(), plant.companyId, startMs + 1)
      expect([...found]).to.have.deep.members([
        [changed, startMs + 3_000],
        [other, startMs + 2_000],
      ])
      expect(await readRecordChanges(store(), 'another company', startMs)).to.deep.equal(new Map())
    })

    it('The audit trail does not list commands of processors', async () => {
      plant.result('claim', { partition: 1, owner: 'p' }, { companyId: null })
      await project()
      expect((await page()).items.map(told)).to.deep.equal(['company created'])
      expect((await page({}, '')).items).to.deep.equal([])
    })

    it('Pages of the audit trail are split between changes, also within a command, and list a change once although it was written twice', async () => {
      const names = Array.from({ length: 25 }, (_, index) => `Job ${index}`)
      const operations = names.map(jobName => ({ jobName, operationName: 'Turn' }))
      for (const operation of operations)
        plant.result('jobOperation.put', { id: `id ${operation.jobName}`, ...operation })
      // As a command that imports many jobs creates them.
      const changes = plant.entries.slice(1).flatMap(entry => entry.changes)
      const [first, second] = plant.entries
      if (!first || !second) throw new Error('The audit trail is empty')
      const entries = [first, { ...second, changes }]
      await project(entries)
      await project(entries)
      const seen: string[] = []
      let cursor: string | null = null
      do {
        const next = await page({ limit: 10, kind: 'jobOperation', ...(cursor === null ? {} : { cursor }) })
        expect(next.items).to.have.lengthOf.within(1, 10)
        seen.push(...next.items.map(({ id }) => id))
        cursor = next.cursor
      } while (cursor !== null)
      expect(seen).to.deep.equal(names.map(name => `id ${name}`).reverse())
      await store().command({ parts: ['OPTIMIZE TABLE audit FINAL'] })
      const { items, cursor: next } = await page({ limit: 10, kind: 'jobOperation' })
      expect(items).to.have.lengthOf(10)
      expect(next).to.equal('1-15')
    })

    it('The audit trail is filtered by kind, id and time', async () => {
      const machineId = plant.machine()
      plant.nowMs = startMs + 7_200_000
      plant.machine()
      await project()
      expect((await page({ kind: 'machine' })).items).to.have.lengthOf(2)
      expect((await page({ id: machineId })).items).to.have.lengthOf(1)
      expect((await page({ start: hour(1) })).items).to.have.lengthOf(1)
      expect((await page({ end: '2026-03-02T10:00:00+01:00' })).items).to.have.lengthOf(2)
      expect((await page({ end: hour(0) })).items).to.have.lengthOf(0)
    })

    it('The audit trail of a company contains only its own changes', async () => {
      const { companyId } = plant.result(
        'company.create',
        { companyName: 'Other', adminKeyHash: 'ab'.repeat(32) },
        { companyId: null },
      )
      await project()
      expect((await page({}, companyId)).items.map(told)).to.deep.equal(['key created', 'company created'])
      expect((await page()).items.map(told)).to.deep.equal(['company created'])
      const { items } = await readAudit(store(), companyId, {}, { hidden: ['key'] })
      expect(items.map(told)).to.deep.equal(['company created'])
    })
  })
}
