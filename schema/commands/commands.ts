import { deliveryCommands } from './delivery-commands.ts'
import { incident } from '../records/incident.ts'
import { incidentCommands } from './incident-commands.ts'
import { alertPause, alertPauseInput } from '../records/alert-pause.ts'
import { alertRule, alertRuleInput } from '../records/alert-rule.ts'
import { alertTarget, alertTargetInput, sealedSecret } from '../records/alert-target.ts'
import { annotation, annotationInput } from '../records/annotation.ts'
import { claim } from '../records/claim.ts'
import { companySettings, companySettingsInput, signOnSettings } from '../records/company.ts'
import { connector, connectorInput } from '../records/connector.ts'
import { downtimeReason, downtimeReasonInput } from '../records/downtime-reason.ts'
import { installation } from '../records/installation.ts'
import { jobOperation, jobOperationInput, timesInput, workCentersInput } from '../records/job-operation.ts'
import { jobRun } from '../records/job-run.ts'
import { key, scopesInput } from '../records/key.ts'
import { machineGroup, machineGroupInput } from '../records/machine-group.ts'
import { machine, machineInput } from '../records/machine.ts'
import { operatorRun, operatorRunEndInput, operatorRunInput } from '../records/operator-run.ts'
import { operator, operatorInput } from '../records/operator.ts'
import { partAdjustmentType, partAdjustmentTypeInput } from '../records/part-adjustment-type.ts'
import { partAdjustment, partAdjustmentChange, partAdjustmentInput } from '../records/part-adjustment.ts'
import { rebuild } from '../records/rebuild.ts'
import { schedule, scheduleInput } from '../records/schedule.ts'
import { thresholdsInput } from '../records/thresholds.ts'
import { role } from '../records/role.ts'
import { providerIdentity, user } from '../records/user.ts'
import type { RecordKind, RecordKinds } from '../records/record-kinds.ts'
import { productionInput, startRunInput, stopRunInput } from '../requests/job-dispatch.ts'
import {
  quantity,
  bool,
  email,
  extendObject,
  nullableProperties,
  id,
  instant,
  int,
  integer,
  intId,
  list,
  longText,
  looseInstant,
  name,
  nullSchema,
  nullable,
  number,
  object,
  type ObjectSchema,
  type Infer,
  partial,
  type Properties,
  type Schema,
  sha256,
  shortText,
  text,
  unsafe,
  uuid,
  without,
} from '../types.ts'

interface Contract<P extends Schema, R extends Schema> {
  readonly payload: P
  readonly result: R
}

/** Declares the schemas of a command's payload and result. The registrar rejects an invalid payload. */
function command<P extends Schema, R extends Schema>(payload: P, result: R): Contract<P, R> {
  return { payload, result }
}

/**
 * Declares `<kind>.put`, which creates or replaces a record. `body` is the request body: the payload without the id.
 */
function putCommand<P extends Properties, Id extends Properties, R extends Schema, O extends keyof Id & string = never>(
  body: ObjectSchema<P>,
  id: Id,
  result: R,
  optional: readonly O[] = [],
) {
  return { ...command(extendObject(body, id, optional), result), body }
}

/**
 * Declares a command whose payload is an array. Each element is a separate record of the log, because the array may be
 * too large for one record; the registrar executes the command atomically.
 */
function chunkedCommand<P extends Schema, R extends Schema>(payload: P, result: R) {
  return { ...command(payload, result), isChunked: true }
}

const idOnly = object({ id })
const newUser = { email, displayName: name, passwordHash: shortText }
const partition = integer(0, 1_000_000)

const importedJob = object(
  {
    /** Row number in the file, for error messages. */
    row: integer(0, 10_000_000),
    jobName: name,
    lotName: shortText,
    operationName: shortText,
    partName: shortText,
    ...nullableProperties({
      description: longText,
      dueAt: looseInstant,
      partValue: number,
      quantityRequired: quantity,
    }),
    ...timesInput.properties,
    workCenters: workCentersInput,
    thresholds: thresholdsInput,
    /** The file contains the job, but the import neither creates nor changes it. */
    isSkipped: bool,
  },
  ['description', 'dueAt', 'partValue', 'quantityRequired', 'workCenters', 'thresholds', 'isSkipped'],
)
const importChunk = object(
  {
    jobs: list(importedJob, { maxItems: 1_000_000 }),
    /** Archives every job that no chunk contains. Read from the first chunk. */
    autoArchive: bool,
    /** Computes the result without changing records. Read from the first chunk. */
    isPreview: bool,
  },
  ['autoArchive', 'isPreview'],
)

/**
 * A job operation in an imported file, identified by its four names. Omitted fields stay unchanged, null clears a
 * field.
 */
export type ImportedJob = Infer<typeof importedJob>
/** One chunk of an import, which may be larger than a record of the log. */
export type JobImportChunk = Infer<typeof importChunk>

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
  /** Stores resolved incidents of the history of a simulated plant. */
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
  'sign-on.put': command(signOnSettings, signOnSettings),
  'machine.put': putCommand(machineInput, { id: uuid }, machine),
  'machine.delete': command(idOnly, nullSchema),
  'schedule.put': putCommand(scheduleInput, { id }, schedule),
  'schedule.delete': command(idOnly, nullSchema),
  'key.create': command(object({ name, scopes: scopesInput, hash: sha256 }), key),
  'key.patch': command(
    object({ id, ...nullableProperties({ name, scopes: scopesInput, disabled: bool }) }, [
      'name',
      'scopes',
      'disabled',
    ]),
    key,
  ),
  'key.delete': command(idOnly, nullSchema),
  'token-secret.make': command(object({}), nullSchema),
  'token-secret.rotate': command(object({}), nullSchema),
  /** `isFirst`: the command is rejected if the company has users. */
  'user.create': command(object({ ...newUser, role, isFirst: bool }, ['isFirst']), user),
  /** `keepSession`: session in which the password is changed; other sessions of the user end. */
  'user.patch': command(
    object({ id, ...newUser, role, disabled: bool, keepSession: nullable(sha256) }, [
      'email',
      'displayName',
      'passwordHash',
      'role',
      'disabled',
      'keepSession',
    ]),
    user,
  ),
  'user.delete': command(idOnly, nullSchema),
  /**
   * Sign-in by the identity provider. `role`: the provider's role; null: none sent. Returns null if the provider has
   * removed the role and the company has no default role.
   */
  'user.identify': command(
    object({ ...providerIdentity.properties, email: nullable(email), displayName: name, role: nullable(role) }),
    nullable(user),
  ),
  /** `keepSession`: session in which users unlink their identity; their other sessions end. */
  'user.link': command(
    object({ id, identity: nullable(providerIdentity), keepSession: nullable(sha256) }, ['keepSession']),
    user,
  ),
  /**
   * `id`: hash of the session token. `passwordHash`, `identity`: credentials of the user when the caller verified them;
   * the command is rejected if they have changed. `idleSince`: sessions last used before this time are ended.
   */
  'session.start': command(
    object(
      {
        id: sha256,
        userId: id,
        passwordHash: shortText,
        identity: nullable(providerIdentity),
        expiresAt: instant,
        idleSince: instant,
      },
      ['identity'],
    ),
    nullSchema,
  ),
  'session.touch': command(object({ id: sha256 }), nullSchema),
  'session.end': command(object({ id: sha256 }), nullSchema),
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
  'jobOperation.put': putCommand(jobOperationInput, { id }, jobOperation),
  'jobOperation.delete': command(idOnly, nullSchema),
  'jobRun.start': command(startRunInput, jobRun),
  'jobRun.production': command(productionInput, jobRun),
  'jobRun.end': command(stopRunInput, jobRun),
  'jobImport.apply': chunkedCommand(
    list(importChunk, { maxItems: 100_000 }),
    object({ created: int, changed: int, archived: int }),
  ),
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
