import { randomUUID } from 'node:crypto'
import type { Records } from '../../../processors/records/records.ts'
import { Registrar } from '../../../processors/registrar/registrar.ts'
import type { Command, CommandError, RecordEntry } from '../../../schema/commands/command-log.ts'
import type { CommandName, Payload, Result } from '../../../schema/commands/commands.ts'
import { mustFitContract } from '../../support/fits-contract.ts'
import { decideSync } from '../../support/naive-uses.ts'

/** Monday 2 March 2026, 08:00 UTC: the start of the plant's clock. */
export const startMs = Date.parse('2026-03-02T08:00:00.000Z')

export interface DoOptions {
  readonly companyId?: string | null
  readonly atMs?: number
}

/** The records of a company and a registrar without a log: commands are decided and applied synchronously. */
export class Plant {
  readonly entries: RecordEntry[] = []
  registrar = new Registrar()
  nowMs = startMs
  readonly companyId: string

  constructor() {
    this.companyId = this.result('installation.start', {}, { companyId: null }).companyId
  }

  get records(): Records {
    return this.registrar.records
  }

  /** Runs a command and returns its entry. */
  do(name: string, payload: unknown, options: DoOptions = {}): RecordEntry {
    return this.fold(this.command(name, payload, options))
  }

  /** Runs a command that must succeed. */
  result<Name extends CommandName>(name: Name, payload: Payload<Name>, options: DoOptions = {}): Result<Name> {
    const { outcome } = this.do(name, payload, options)
    if (!outcome.ok) throw new Error(`${name} was rejected: ${JSON.stringify(outcome.error)}`)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the contract was checked
    return outcome.result as Result<Name>
  }

  /** Runs a command that must be rejected. */
  refusal(name: string, payload: unknown, options: DoOptions = {}): CommandError {
    const { outcome, changes } = this.do(name, payload, options)
    if (outcome.ok || changes.length > 0) throw new Error(`${name} was not rejected`)
    return outcome.error
  }

  /** The field errors of a command that must be rejected with 400, as `field code`. */
  faults(name: string, payload: unknown): string[] {
    const { status, errors } = this.refusal(name, payload)
    if (status !== 400) throw new Error(`${name} was rejected with ${status}`)
    return errors.map(({ field, code }) => `${field} ${code}`)
  }

  command(name: string, payload: unknown, { companyId, atMs = this.nowMs }: DoOptions = {}): Command {
    return {
      id: randomUUID(),
      deadlineMs: atMs + 2000,
      nowMs: atMs,
      freshIds: [randomUUID(), randomUUID()],
      companyId: companyId === undefined ? this.companyId : companyId,
      actor: 'test',
      name,
      payload,
    }
  }

  fold(command: Command, appendedAtMs = command.nowMs): RecordEntry {
    const { outcome, changes, failure } = decideSync(this.registrar, command, appendedAtMs)
    if (failure !== undefined) throw failure
    mustFitContract(command, outcome)
    const { id, deadlineMs, nowMs, companyId, actor, name } = command
    const written: RecordEntry = {
      command: { id, deadlineMs, nowMs, companyId, actor, name },
      commandOffset: this.entries.length,
      outcome,
      changes,
    }
    const entry: RecordEntry = JSON.parse(JSON.stringify(written))
    this.registrar.apply(entry, appendedAtMs)
    this.entries.push(entry)
    return entry
  }

  /** Creates a machine with the minimum of settings. */
  machine(settings: object = {}): string {
    const id = randomUUID()
    this.result('machine.put', { id, name: `Machine ${id.slice(0, 4)}`, ...settings })
    return id
  }

  reason(name = 'Tool change'): number {
    return this.result('downtimeReason.put', { name }).id
  }
}

/** An instant the given hours after the start of the plant's clock. */
export function hour(hours: number): string {
  return new Date(startMs + hours * 3_600_000).toISOString()
}
