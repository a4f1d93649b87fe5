import { randomUUID } from 'node:crypto'
import type { CommandClient } from '../../processors/registrar/client.ts'
import { Registrar } from '../../processors/registrar/registrar.ts'
import type { Records } from '../../processors/records/records.ts'
import type { Change } from '../../schema/records/record-kinds.ts'
import type { CompanyRecord } from '../../schema/records/company.ts'
import type { KeyRecord } from '../../schema/records/key.ts'
import {
  type Outcome,
  type RecordEntry,
  type RequestFingerprint,
  resultOrThrow,
} from '../../schema/commands/command-log.ts'
import type { CommandName, Payload, Result } from '../../schema/commands/commands.ts'
import { mustFitContract } from './fits-contract.ts'
import { decideSync } from './naive-uses.ts'

/** The registrar in this process, which decides and applies every command immediately, without a log. */
export interface DirectRegistrar extends Pick<CommandClient, 'submit'> {
  /** Runs a command of a company (the first one by default) and returns its result; rejects if the command is rejected. */
  perform<Name extends CommandName>(name: Name, payload: Payload<Name>, companyId?: string): Promise<Result<Name>>
  readonly records: Records
  /** All entries so far. */
  readonly entries: readonly RecordEntry[]
  /** The company of the first start. */
  readonly company: CompanyRecord
  addKey(key: Pick<KeyRecord, 'name' | 'scopes' | 'hash'>): void
  /** Changes records directly, without a command. */
  apply(changes: readonly Change[]): void
  /** Another company with a key of every scope. */
  addCompany(companyName: string, adminKeyHash: string): void
}

/** Creates a registrar in the state after the first start with an admin key. */
export function directRegistrar(adminKeyHash: string): DirectRegistrar {
  const registrar = new Registrar()
  const { records } = registrar
  const entries: RecordEntry[] = []
  const apply = (command: Command, outcome: Outcome, changes: readonly Change[]): void => {
    const entry = { command, commandOffset: registrar.lastCommandOffset + 1, outcome, changes }
    registrar.apply(entry, command.nowMs)
    entries.push(entry)
  }
  const run = (companyId: string | null, name: string, payload: unknown, repeat?: RequestFingerprint): Outcome => {
    const command = { ...newCommand(companyId, name), ...(repeat && { repeat }) }
    const { outcome, changes, failure } = decideSync(registrar, { ...command, freshIds: [], payload }, command.nowMs)
    if (failure !== undefined) throw failure
    mustFitContract(command, outcome)
    apply(command, outcome, changes)
    return outcome
  }
  run(null, 'installation.start', { adminKeyHash })
  const [company] = records.companies()
  if (!company) throw new Error('The first start made no company')
  const submit: CommandClient['submit'] = async (name, payload, { companyId, repeat }) =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the client of the service does
    run(companyId, name, payload, repeat) as Outcome<Result<typeof name>>
  return {
    records,
    entries,
    company,
    submit,
    perform: async (name, payload, companyId = company.id) =>
      resultOrThrow(await submit(name, payload, { companyId, actor: 'test' })),
    addKey(key) {
      const id = randomUUID()
      const after: KeyRecord = { ...key, id, companyId: company.id, createdAt: new Date().toISOString() }
      apply(newCommand(company.id, 'test'), { ok: true, result: null }, [{ kind: 'key', id, before: null, after }])
    },
    apply: changes => apply(newCommand(company.id, 'test'), { ok: true, result: null }, changes),
    addCompany: (companyName, hash) => void run(null, 'company.create', { companyName, adminKeyHash: hash }),
  }
}

type Command = ReturnType<typeof newCommand>

function newCommand(companyId: string | null, name: string) {
  const nowMs = Date.now()
  return { id: randomUUID(), deadlineMs: nowMs + 1000, nowMs, companyId, actor: 'test', name }
}
