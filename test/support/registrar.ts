import { randomUUID } from 'node:crypto'
import type { CommandClient } from '../../api/ports.ts'
import type { CommandSpec } from '../../processors/registrar/command.ts'
import { installationCommands } from '../../processors/registrar/commands/installation.ts'
import { machineGroupCommands } from '../../processors/registrar/commands/machine-group.ts'
import { machineCommands } from '../../processors/registrar/commands/machine.ts'
import { scheduleCommands } from '../../processors/registrar/commands/schedule.ts'
import { settingsCommands } from '../../processors/registrar/commands/settings.ts'
import { Refusal } from '../../processors/registrar/refusal.ts'
import { Refs } from '../../processors/registrar/refs.ts'
import { Records } from '../../processors/records/records.ts'
import type { Change, CompanyRecord, KeyRecord, Outcome } from '../../schema/records.ts'

/** The registrar's own commands, decided and applied at once in this process: no log between. */
export interface DirectRegistrar extends CommandClient {
  readonly records: Records
  /** The company of the first start. */
  readonly company: CompanyRecord
  addKey(key: Pick<KeyRecord, 'name' | 'scopes' | 'hash'>): void
  /** Another company with a key of every scope. */
  addCompany(name: string, adminKeyHash: string): Promise<void>
}

const specs: readonly CommandSpec[] = [
  ...installationCommands,
  ...settingsCommands,
  ...machineCommands,
  ...machineGroupCommands,
  ...scheduleCommands,
]

/** After a first start with an admin key. */
export async function directRegistrar(adminKeyHash: string): Promise<DirectRegistrar> {
  const records = new Records()
  const refs = new Refs()
  const apply = (name: string, outcome: Outcome, changes: readonly Change[]): void => {
    const offset = records.offset + 1
    for (const change of changes) refs.fold(change)
    const command = { id: randomUUID(), deadlineMs: 0, nowMs: Date.now(), companyId: null, actor: 'test', name }
    records.apply({ command, commandOffset: offset, outcome, changes }, offset)
  }
  const run = (companyId: string | null, name: string, payload: unknown): Outcome => {
    const spec = specs.find(each => each.name === name)
    if (!spec) throw new Error(`There is no command ${name}`)
    const nowMs = Date.now()
    try {
      const { changes, result } = spec.run(payload, {
        records,
        nowMs,
        now: new Date(nowMs).toISOString(),
        company: companyId === null ? null : records.company(companyId),
        nextRef: refs.drawer(),
        ownerOf: (kind, id) => refs.ownerOf(kind, id),
        freshId: randomUUID,
      })
      const outcome = { ok: true, result } as const
      apply(name, outcome, changes)
      return outcome
    } catch (error) {
      if (error instanceof Refusal) return { ok: false, error: error.error }
      throw error
    }
  }
  run(null, 'installation.start', { adminKeyHash })
  const [company] = records.companies()
  if (!company) throw new Error('The first start made no company')
  return {
    records,
    company,
    submit: async ({ companyId, name, payload }) => run(companyId, name, payload),
    addKey({ name, scopes, hash }) {
      const id = randomUUID()
      const after: KeyRecord = { id, companyId: company.id, name, scopes, hash, createdAt: new Date().toISOString() }
      apply('key.create', { ok: true, result: null }, [{ kind: 'key', id, before: null, after }])
    },
    async addCompany(companyName, hash) {
      run(null, 'company.create', { companyName, adminKeyHash: hash })
    },
  }
}
