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
import * as t from '../types.ts'
import { accessCommands, newUser } from './access-commands.ts'
import { command, type Contract, idOnly, putCommand } from './contract.ts'
import { deliveryCommands } from './delivery-commands.ts'
import { incidentCommands } from './incident-commands.ts'
import { jobCommands } from './job-commands.ts'

const partition = t.integer(0, 1_000_000)

/** Every command of the registrar by name; the types of payload and result follow from the name. */
export const commands = {
  'installation.found': command(t.object({}), installation),
  'demo.leave': command(
    t.object(
      {
        machineIds: t.list(t.uuid, { maxItems: 100_000 }),
        machineGroupIds: t.list(t.uuid, { maxItems: 100_000 }),
        scheduleIds: t.list(t.uuid, { maxItems: 100_000 }),
        operatorIds: t.list(t.uuid, { maxItems: 100_000 }),
        downtimeReasons: t.list(t.name, { maxItems: 1_000 }),
        partAdjustmentTypes: t.list(t.name, { maxItems: 1_000 }),
        alertRuleIds: t.list(t.id, { maxItems: 1_000 }),
      },
      ['alertRuleIds'],
    ),
    t.object({ decommissioned: t.int, deleted: t.int }),
  ),
  /** Stores incidents of the history of a simulated plant: resolved ones, and calls. */
  'demo.incidents': command(
    t.object({ incidents: t.list(t.without(incident, 'companyId'), { maxItems: 100 }) }),
    t.object({ created: t.int }),
  ),
  /**
   * Creates the first company with an admin key that has every scope; if a company exists, adds an unknown admin key to
   * the first company. `generated`: the key was generated at this start, and is used only if no company exists.
   */
  'installation.start': command(
    t.partial({ adminKeyHash: t.nullable(t.sha256), generated: t.nullable(t.bool) }),
    t.object({ companyId: t.text, companyCreated: t.bool, keyAdded: t.bool }),
  ),
  /** `admin`: first user of the company, with the role it_admin. */
  'company.create': command(
    t.object({ companyName: t.name, adminKeyHash: t.nullable(t.sha256), admin: t.nullable(t.object(newUser)) }, [
      'adminKeyHash',
      'admin',
    ]),
    t.object({ companyId: t.text }),
  ),
  /**
   * `above`: the new fence must be higher than this value, which is the highest fence in the store; needed if the log
   * is newer than the store.
   */
  claim: command(t.object({ partition, owner: t.shortText, above: t.integer(0, 1e9) }, ['above']), claim),
  'settings.put': command(companySettingsInput, companySettings),
  'machine.put': putCommand(machineInput, { id: t.uuid }, machine),
  'machine.delete': command(idOnly, t.nullSchema),
  'schedule.put': putCommand(scheduleInput, { id: t.id }, schedule),
  'schedule.delete': command(idOnly, t.nullSchema),
  ...accessCommands,
  /**
   * Stores the rejection of a request, so that a repeated request gets the same response. If the first request under
   * this idempotency key had a result, returns that result.
   */
  'request.refuse': command(
    t.object({
      status: t.unsafe<400 | 404 | 409>({ enum: [400, 404, 409] }),
      code: t.text,
      message: t.text,
      errors: t.list(t.object({ field: t.text, code: t.text, message: t.text }), { maxItems: 1000 }),
      more: t.integer(0, 1e15),
    }),
    t.unsafe<unknown>({}),
  ),
  'machineGroup.put': putCommand(machineGroupInput, { id: t.id }, machineGroup),
  'machineGroup.delete': command(idOnly, t.nullSchema),
  'operator.put': putCommand(operatorInput, { id: t.id }, operator),
  'operator.delete': command(idOnly, t.nullSchema),
  /** `secrets`: encrypted. */
  'connector.put': putCommand(connectorInput, { id: t.id }, connector),
  'connector.delete': command(idOnly, t.nullSchema),
  /** `secret`: encrypted, for a webhook without one. */
  'alertTarget.put': putCommand(alertTargetInput, { id: t.id, secret: sealedSecret }, alertTarget, ['secret']),
  'alertTarget.rotateSecret': command(t.object({ id: t.id, secret: sealedSecret }), alertTarget),
  'alertTarget.delete': command(idOnly, t.nullSchema),
  'alertRule.put': putCommand(alertRuleInput, { id: t.id }, alertRule),
  'alertRule.delete': command(idOnly, t.nullSchema),
  'alertPause.put': putCommand(alertPauseInput, { id: t.id }, alertPause),
  'alertPause.delete': command(idOnly, t.nullSchema),
  ...incidentCommands,
  ...deliveryCommands,
  'operatorRun.start': command(operatorRunInput, operatorRun),
  'operatorRun.end': command(t.extendObject(operatorRunEndInput, { id: t.id }), operatorRun),
  'downtimeReason.put': putCommand(downtimeReasonInput, { id: t.nullable(t.intId) }, downtimeReason, ['id']),
  'downtimeReason.delete': command(t.object({ id: t.intId }), t.nullSchema),
  'annotation.put': putCommand(annotationInput, { id: t.nullable(t.uuid) }, annotation, ['id']),
  'annotation.delete': command(idOnly, t.nullSchema),
  /**
   * `reasonId` null removes the reason. `stamp` (`annotationStamp`) is the state of the annotations that the caller has
   * read; 409 if they have changed.
   */
  'annotation.reasons': command(
    t.object({
      changes: t.list(
        t.object(
          {
            machineId: t.uuid,
            startAt: t.instant,
            endAt: t.nullable(t.instant),
            reasonId: t.nullable(t.intId),
            note: t.longText,
            stamp: t.text,
            endsWithStop: t.bool,
          },
          ['note', 'stamp', 'endsWithStop'],
        ),
        { minItems: 1, maxItems: 2000 },
      ),
    }),
    t.list(annotation),
  ),
  /**
   * Ends an annotation with `endsWithStop` at the end of its stop. `startAt`: start of the annotation when its stop was
   * checked.
   */
  'annotation.endWithStop': command(t.object({ id: t.uuid, startAt: t.instant, endAt: t.instant }), t.nullSchema),
  'partAdjustmentType.put': putCommand(partAdjustmentTypeInput, { id: t.nullable(t.intId) }, partAdjustmentType, [
    'id',
  ]),
  'partAdjustmentType.delete': command(t.object({ id: t.intId }), t.nullSchema),
  'partAdjustment.create': command(partAdjustmentInput, partAdjustment),
  'partAdjustment.update': command(t.extendObject(partAdjustmentChange, { id: t.shortText }), partAdjustment),
  'partAdjustment.delete': command(idOnly, t.nullSchema),
  ...jobCommands,
  /** `companyId` null rebuilds every company, except companies with a rebuild request of their own. */
  'rebuild.start': command(t.partial({ companyId: t.nullable(t.longText) }), rebuild),
  /** `partitions`: number of partitions of the topic. */
  'rebuild.partitionDone': command(
    t.object({ id: t.longText, partition, partitions: t.integer(1, 1_000_000), hours: t.integer(0, 1e15) }),
    rebuild,
  ),
} as const satisfies Readonly<Record<string, Contract<t.Schema, t.Schema>>>

export type CommandName = keyof typeof commands
export type Payload<Name extends CommandName> = t.Infer<(typeof commands)[Name]['payload']>
export type Result<Name extends CommandName> = t.Infer<(typeof commands)[Name]['result']>

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
