import { alertPause, alertPauseInput } from '../records/alert-pause.ts'
import { alertRule, alertRuleInput } from '../records/alert-rule.ts'
import { alertTarget, alertTargetInput, sealedSecret } from '../records/alert-target.ts'
import { annotation, annotationInput } from '../records/annotation.ts'
import { claim } from '../records/claim.ts'
import { companySettings, companySettingsInput } from '../records/company.ts'
import { connector, connectorInput } from '../records/connector.ts'
import { downtimeReason, downtimeReasonInput } from '../records/downtime-reason.ts'
import { incident } from '../records/incident.ts'
import { installation } from '../records/installation.ts'
import { machineGroup, machineGroupInput } from '../records/machine-group.ts'
import { machine, machineInput } from '../records/machine.ts'
import { operatorRun, operatorRunEndInput, operatorRunInput } from '../records/operator-run.ts'
import { operator, operatorInput } from '../records/operator.ts'
import { partAdjustmentType, partAdjustmentTypeInput } from '../records/part-adjustment-type.ts'
import { partAdjustment, partAdjustmentChange, partAdjustmentInput } from '../records/part-adjustment.ts'
import { rebuild } from '../records/rebuild.ts'
import { schedule, scheduleInput } from '../records/schedule.ts'
import type { RecordKind, RecordKinds } from '../records/record-kinds.ts'
import {
  bool,
  extendObject,
  id,
  type Infer,
  instant,
  int,
  integer,
  intId,
  list,
  longText,
  name,
  nullSchema,
  nullable,
  object,
  partial,
  type Schema,
  sha256,
  shortText,
  text,
  unsafe,
  uuid,
  without,
} from '../types.ts'
import { accessCommands, newUser } from './access-commands.ts'
import { command, type Contract, idOnly, putCommand } from './contract.ts'
import { deliveryCommands } from './delivery-commands.ts'
import { incidentCommands } from './incident-commands.ts'
import { jobCommands } from './job-commands.ts'

const partition = integer(0, 1_000_000)

/** Every command of the registrar by name; the types of payload and result follow from the name. */
export const commands = {
  'installation.found': command(object({}), installation),
  'demo.leave': command(
    object(
      {
        machineIds: list(uuid, { maxItems: 100_000 }),
        machineGroupIds: list(uuid, { maxItems: 100_000 }),
        scheduleIds: list(uuid, { maxItems: 100_000 }),
        operatorIds: list(uuid, { maxItems: 100_000 }),
        downtimeReasons: list(name, { maxItems: 1_000 }),
        partAdjustmentTypes: list(name, { maxItems: 1_000 }),
        alertRuleIds: list(id, { maxItems: 1_000 }),
      },
      ['alertRuleIds'],
    ),
    object({ decommissioned: int, deleted: int }),
  ),
  /** Stores incidents of the history of a simulated plant: resolved ones, and calls. */
  'demo.incidents': command(
    object({ incidents: list(without(incident, 'companyId'), { maxItems: 100 }) }),
    object({ created: int }),
  ),
  /**
   * Creates the first company with an admin key that has every scope; if a company exists, adds an unknown admin key to
   * the first company. `generated`: the key was generated at this start, and is used only if no company exists.
   */
  'installation.start': command(
    partial({ adminKeyHash: nullable(sha256), generated: nullable(bool) }),
    object({ companyId: text, companyCreated: bool, keyAdded: bool }),
  ),
  /** `admin`: first user of the company, with the role it_admin. */
  'company.create': command(
    object({ companyName: name, adminKeyHash: nullable(sha256), admin: nullable(object(newUser)) }, [
      'adminKeyHash',
      'admin',
    ]),
    object({ companyId: text }),
  ),
  /**
   * `above`: the new fence must be higher than this value, which is the highest fence in the store; needed if the log
   * is newer than the store.
   */
  claim: command(object({ partition, owner: shortText, above: integer(0, 1e9) }, ['above']), claim),
  'settings.put': command(companySettingsInput, companySettings),
  'machine.put': putCommand(machineInput, { id: uuid }, machine),
  'machine.delete': command(idOnly, nullSchema),
  'schedule.put': putCommand(scheduleInput, { id }, schedule),
  'schedule.delete': command(idOnly, nullSchema),
  ...accessCommands,
  /**
   * Stores the rejection of a request, so that a repeated request gets the same response. If the first request under
   * this idempotency key had a result, returns that result.
   */
  'request.refuse': command(
    object({
      status: unsafe<400 | 404 | 409>({ enum: [400, 404, 409] }),
      code: text,
      message: text,
      errors: list(object({ field: text, code: text, message: text }), { maxItems: 1000 }),
      more: integer(0, 1e15),
    }),
    unsafe<unknown>({}),
  ),
  'machineGroup.put': putCommand(machineGroupInput, { id }, machineGroup),
  'machineGroup.delete': command(idOnly, nullSchema),
  'operator.put': putCommand(operatorInput, { id }, operator),
  'operator.delete': command(idOnly, nullSchema),
  /** `secrets`: encrypted. */
  'connector.put': putCommand(connectorInput, { id }, connector),
  'connector.delete': command(idOnly, nullSchema),
  /** `secret`: encrypted, for a webhook without one. */
  'alertTarget.put': putCommand(alertTargetInput, { id, secret: sealedSecret }, alertTarget, ['secret']),
  'alertTarget.rotateSecret': command(object({ id, secret: sealedSecret }), alertTarget),
  'alertTarget.delete': command(idOnly, nullSchema),
  'alertRule.put': putCommand(alertRuleInput, { id }, alertRule),
  'alertRule.delete': command(idOnly, nullSchema),
  'alertPause.put': putCommand(alertPauseInput, { id }, alertPause),
  'alertPause.delete': command(idOnly, nullSchema),
  ...incidentCommands,
  ...deliveryCommands,
  'operatorRun.start': command(operatorRunInput, operatorRun),
  'operatorRun.end': command(extendObject(operatorRunEndInput, { id }), operatorRun),
  'downtimeReason.put': putCommand(downtimeReasonInput, { id: nullable(intId) }, downtimeReason, ['id']),
  'downtimeReason.delete': command(object({ id: intId }), nullSchema),
  'annotation.put': putCommand(annotationInput, { id: nullable(uuid) }, annotation, ['id']),
  'annotation.delete': command(idOnly, nullSchema),
  /**
   * `reasonId` null removes the reason. `stamp` (`annotationStamp`) is the state of the annotations that the caller has
   * read; 409 if they have changed.
   */
  'annotation.reasons': command(
    object({
      changes: list(
        object(
          {
            machineId: uuid,
            startAt: instant,
            endAt: nullable(instant),
            reasonId: nullable(intId),
            note: longText,
            stamp: text,
            endsWithStop: bool,
          },
          ['note', 'stamp', 'endsWithStop'],
        ),
        { minItems: 1, maxItems: 2000 },
      ),
    }),
    list(annotation),
  ),
  /**
   * Ends an annotation with `endsWithStop` at the end of its stop. `startAt`: start of the annotation when its stop was
   * checked.
   */
  'annotation.endWithStop': command(object({ id: uuid, startAt: instant, endAt: instant }), nullSchema),
  'partAdjustmentType.put': putCommand(partAdjustmentTypeInput, { id: nullable(intId) }, partAdjustmentType, ['id']),
  'partAdjustmentType.delete': command(object({ id: intId }), nullSchema),
  'partAdjustment.create': command(partAdjustmentInput, partAdjustment),
  'partAdjustment.update': command(extendObject(partAdjustmentChange, { id: shortText }), partAdjustment),
  'partAdjustment.delete': command(idOnly, nullSchema),
  ...jobCommands,
  /** `companyId` null rebuilds every company, except companies with a rebuild request of their own. */
  'rebuild.start': command(partial({ companyId: nullable(longText) }), rebuild),
  /** `partitions`: number of partitions of the topic. */
  'rebuild.partitionDone': command(
    object({ id: longText, partition, partitions: integer(1, 1_000_000), hours: integer(0, 1e15) }),
    rebuild,
  ),
} as const satisfies Readonly<Record<string, Contract<Schema, Schema>>>

export type CommandName = keyof typeof commands
export type Payload<Name extends CommandName> = Infer<(typeof commands)[Name]['payload']>
export type Result<Name extends CommandName> = Infer<(typeof commands)[Name]['result']>

/** Kinds of records with a command `<kind>.put`, whose result is the record. */
export type WritableKind = {
  [Kind in RecordKind]: `${Kind}.put` extends CommandName
    ? Result<`${Kind}.put`> extends RecordKinds[Kind]
      ? Kind
      : never
    : never
}[RecordKind]

/** Kinds of records with a command `<kind>.delete`, whose result is null. */
export type DeletableKind = {
  [Kind in RecordKind]: `${Kind}.delete` extends CommandName
    ? Result<`${Kind}.delete`> extends null
      ? Kind
      : never
    : never
}[RecordKind]
