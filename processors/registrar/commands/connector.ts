import type { Payload } from '../../../schema/commands/commands.ts'
import type { FieldError } from '../../../schema/errors.ts'
import {
  type ConnectorMachine,
  type ConnectorRecord,
  defaultConnectorMachine,
  defaultConnectorOptions,
  type MappingRule,
  ruleFieldNames,
} from '../../../schema/records/connector.ts'
import { assignedMachines } from '../../../schema/records/connector-machines.ts'
import { addressProblem } from '../../../schema/records/connector-address.ts'
import type { Change } from '../../../schema/records/record-kinds.ts'
import { defined } from '../../../shared/collections/defined.ts'
import { pick } from '../../../shared/collections/pick.ts'
import { canonicalId } from '../../records/record-ids.ts'
import { changeTo, type CommandSpec, type CompanyContext, companyCommand, remove } from '../deciding/command.ts'
import { rejectIfInUse, throwIfInvalid } from '../deciding/command-rejection.ts'
import { rulesThatName } from './alert-references.ts'
import { findMappingErrors, problem } from './connector-mapping.ts'
import { findSecretErrors, mergeSecrets } from './connector-secrets.ts'
import { findMissing } from './named-records.ts'
import { withDefaults } from './optional-fields.ts'

/** Limit of the connectors of a company. */
const maxConnectors = 2_000
/** Limit of the machines of a connector. */
const maxMachines = 1_000
/** `staleAfterMs` of a machine without one when a connector that sends heartbeats is assigned. */
const staleAfterMs = 60_000

/**
 * Creates or replaces a connector; omitted fields get their defaults, omitted secrets stay unless the scheme, host or port
 * of the address changes. Machines that it gets become
 * stale without heartbeats, unless they have a setting. Returns the record.
 */
const putConnector: CommandSpec = companyCommand('connector.put', (payload, context) => {
  const { company, records } = context
  const connectorId = canonicalId(payload.id)
  const before = records.get('connector', company.id, connectorId)
  const after = toConnector(payload, company.id, before)
  throwIfInvalid([
    ...findSecretErrors(payload.secrets, after, before),
    ...findFieldErrors(after, before, context),
    ...findMappingErrors(after),
    ...findAssignmentErrors(after, context),
  ])
  return {
    changes: [...changeTo('connector', connectorId, before, after), ...makeStale(after, before, context)],
    result: after,
  }
})

/** Returns the record of a payload that its schema accepts. `before`: the stored record, whose secrets may stay. */
export function toConnector(payload: Input, companyId: string, before: ConnectorRecord | null): ConnectorRecord {
  const connectorId = canonicalId(payload.id)
  return {
    id: connectorId,
    companyId,
    name: payload.name,
    kind: payload.kind,
    address: payload.address ?? null,
    enabled: payload.enabled ?? true,
    sourceId: canonicalId(payload.sourceId ?? connectorId),
    machines: (payload.machines ?? []).map(toMachine),
    rules: (payload.rules ?? []).map(toRule),
    options: withDefaults(defaultConnectorOptions, payload.options ?? {}),
    secrets: mergeSecrets(payload.secrets, before),
  }
}

/** Deletes a connector; 409 if an alert rule names it. Returns null. */
const deleteConnector: CommandSpec = companyCommand('connector.delete', (payload, context) => {
  const decision = remove('connector', payload.id, context)
  rejectIfInUse([rulesThatName('connector', canonicalId(payload.id), context)])
  return decision
})

type Input = Payload<'connector.put'>

function toMachine(input: NonNullable<Input['machines']>[number]): ConnectorMachine {
  const { machineId } = input
  return {
    ...withDefaults(defaultConnectorMachine, input),
    machineId: typeof machineId === 'string' ? canonicalId(machineId) : canonicalIds(machineId),
    paths: canonicalIds(input.paths ?? {}),
  }
}

/** Returns a rule without unknown fields of the request. */
function toRule(rule: MappingRule): MappingRule {
  return { ...defined(pick(rule, ruleFieldNames)), from: rule.from }
}

function canonicalIds(ids: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(ids).map(([key, machineId]) => [key, canonicalId(machineId)]))
}

function findFieldErrors(
  { id, kind, address, sourceId }: ConnectorRecord,
  before: ConnectorRecord | null,
  { company, records }: CompanyContext,
): readonly FieldError[] {
  const all = records.list('connector', company.id)
  const sharing = all.find(other => other.id !== id && other.sourceId === sourceId)
  const wrong = addressProblem(kind, address)
  return [
    ...(wrong === null ? [] : [problem('address', wrong)]),
    ...(sharing ? [problem('sourceId', `is that of the connector '${sharing.name}'`)] : []),
    ...(before === null && all.length >= maxConnectors
      ? [problem('id', `cannot be added: a company has at most ${maxConnectors} connectors`, 'OutOfRange')]
      : []),
  ]
}

/** Machines of the company only, and at most one connector per machine. */
function findAssignmentErrors(connector: ConnectorRecord, context: CompanyContext): readonly FieldError[] {
  const { company, records } = context
  const others = records.list('connector', company.id).filter(({ id }) => id !== connector.id)
  const owners = new Map(others.flatMap(other => [...assignedMachines(other)].map(([, each]) => [each, other.name])))
  const assigned = [...assignedMachines(connector)]
  if (new Set(assigned.map(([, machineId]) => machineId)).size > maxMachines)
    return [problem('machines', `must refer to at most ${maxMachines} machines`, 'OutOfRange')]
  return assigned.flatMap(([field, machineId]) => {
    const missing = findMissing(field, 'machine', machineId, context)
    const owner = owners.get(machineId)
    return missing.length > 0 || owner === undefined
      ? missing
      : [problem(field, `is a machine of the connector '${owner}'`)]
  })
}

/** Makes machines stale without heartbeats when they are assigned; a later change of their setting stays. */
function makeStale(
  after: ConnectorRecord,
  before: ConnectorRecord | null,
  { company, records }: CompanyContext,
): readonly Change[] {
  if (after.kind === 'http') return []
  const known = new Set(before && before.kind !== 'http' ? [...assignedMachines(before)].map(([, each]) => each) : [])
  const assigned = new Set([...assignedMachines(after)].map(([, machineId]) => machineId))
  return [...assigned].flatMap(machineId => {
    const machine = records.get('machine', company.id, machineId)
    if (machine === null || machine.staleAfterMs !== null || known.has(machineId)) return []
    return changeTo('machine', machineId, machine, { ...machine, staleAfterMs })
  })
}

export const connectorCommands = [putConnector, deleteConnector]
