import { annotation, annotationInput } from '../records/annotation.ts'
import { claim } from '../records/claim.ts'
import { companySettings, companySettingsInput, signOnSettings } from '../records/company.ts'
import { downtimeReason, downtimeReasonInput } from '../records/downtime-reason.ts'
import { installation } from '../records/installation.ts'
import { jobOperation, jobOperationInput, timesInput, workCentersInput } from '../records/job-operation.ts'
import { jobRun } from '../records/job-run.ts'
import { key, someScopes } from '../records/key.ts'
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
  extended,
  given,
  id,
  instant,
  int,
  integer,
  intId,
  list,
  longText,
  looseInstant,
  name,
  nothing,
  nullable,
  number,
  object,
  type ObjectSchema,
  type Of,
  partial,
  type Properties,
  type Schema,
  sha256,
  shortText,
  text,
  unsafe,
  uuid,
} from '../types.ts'

interface Contract<P extends Schema, R extends Schema> {
  readonly payload: P
  readonly result: R
}

/** Payload and result of a command. The registrar refuses a payload that does not fit. */
function command<P extends Schema, R extends Schema>(payload: P, result: R): Contract<P, R> {
  return { payload, result }
}

/** `<kind>.put`: creates or replaces a record. `body`: what a caller sends of it, the payload without the id. */
function putCommand<P extends Properties, Id extends Properties, R extends Schema, O extends keyof Id & string = never>(
  body: ObjectSchema<P>,
  id: Id,
  result: R,
  optional: readonly O[] = [],
) {
  return { ...command(extended(body, id, optional), result), body }
}

/**
 * A command whose payload is a list. Each item is a separate record, because the list may be too large for one; the
 * command is executed as a whole.
 */
function chunkedCommand<P extends Schema, R extends Schema>(payload: P, result: R) {
  return { ...command(payload, result), isChunked: true }
}

const idOnly = object({ id })
const newUser = { email, displayName: name, passwordHash: shortText }
const partition = integer(0, 1_000_000)

const importedJob = object(
  {
    /** Position in the file, for errors. */
    row: integer(0, 10_000_000),
    jobName: name,
    lotName: shortText,
    operationName: shortText,
    partName: shortText,
    ...given({ description: longText, dueAt: looseInstant, partValue: number, quantityRequired: quantity }),
    ...timesInput.properties,
    workCenters: workCentersInput,
    thresholds: thresholdsInput,
    /** The job is in the file, but is neither created nor changed. */
    isSkipped: bool,
  },
  ['description', 'dueAt', 'partValue', 'quantityRequired', 'workCenters', 'thresholds', 'isSkipped'],
)
const importChunk = object(
  {
    jobs: list(importedJob, { maxItems: 1_000_000 }),
    /** Archives every job that no part names; of the first chunk. */
    autoArchive: bool,
    /** Decides without a change; of the first chunk. */
    isPreview: bool,
  },
  ['autoArchive', 'isPreview'],
)

/** A job operation as a file tells it, found by its four names. What is left out stays as it is, null is taken away. */
export type ImportedJob = Of<typeof importedJob>
/** One chunk of an import, which may be larger than a record of the log. */
export type JobImportChunk = Of<typeof importChunk>

/** Every command of the registrar by its name. The types of payload and result follow from the name. */
export const commands = {
  'installation.found': command(object({}), installation),
  'demo.leave': command(
    object({
      machineIds: list(uuid, { maxItems: 100_000 }),
      machineGroupIds: list(uuid, { maxItems: 100_000 }),
      scheduleIds: list(uuid, { maxItems: 100_000 }),
      operatorIds: list(uuid, { maxItems: 100_000 }),
      downtimeReasons: list(name, { maxItems: 1_000 }),
      partAdjustmentTypes: list(name, { maxItems: 1_000 }),
    }),
    object({ decommissioned: int, deleted: int }),
  ),
  /**
   * The first start makes the first company, with an admin key that has every scope; a later start with a key that isn't known adds
   * it to the first company. `generated`: the key was made up at this start, and counts only where there is no company yet.
   */
  'installation.start': command(
    partial({ adminKeyHash: nullable(sha256), generated: nullable(bool) }),
    object({ companyId: text, companyCreated: bool, keyAdded: bool }),
  ),
  /** `admin`: its first user, an it_admin. */
  'company.create': command(
    object({ companyName: name, adminKeyHash: nullable(sha256), admin: nullable(object(newUser)) }, [
      'adminKeyHash',
      'admin',
    ]),
    object({ companyId: text }),
  ),
  /** `above`: the fence must be above this one, the highest that the store knows, where the log is newer than the store. */
  claim: command(object({ partition, owner: shortText, above: integer(0, 1e9) }, ['above']), claim),
  'settings.put': command(companySettingsInput, companySettings),
  'sign-on.put': command(signOnSettings, signOnSettings),
  'machine.put': putCommand(machineInput, { id: uuid }, machine),
  'machine.delete': command(idOnly, nothing),
  'schedule.put': putCommand(scheduleInput, { id }, schedule),
  'schedule.delete': command(idOnly, nothing),
  'key.create': command(object({ name, scopes: someScopes, hash: sha256 }), key),
  'key.patch': command(
    object({ id, ...given({ name, scopes: someScopes, disabled: bool }) }, ['name', 'scopes', 'disabled']),
    key,
  ),
  'key.delete': command(idOnly, nothing),
  'token-secret.make': command(object({}), nothing),
  'token-secret.rotate': command(object({}), nothing),
  /** `isFirst`: refused where the company has users. */
  'user.create': command(object({ ...newUser, role, isFirst: bool }, ['isFirst']), user),
  /** `keepSession`: the session in which the password is changed. */
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
  'user.delete': command(idOnly, nothing),
  /**
   * Sign-in by the identity provider. `role`: the provider's role; null: none sent. Returns null if the provider has
   * removed the role and the company has no default role.
   */
  'user.identify': command(
    object({ ...providerIdentity.properties, email: nullable(email), displayName: name, role: nullable(role) }),
    nullable(user),
  ),
  /** `keepSession`: the session in which users unlink themselves. */
  'user.link': command(
    object({ id, identity: nullable(providerIdentity), keepSession: nullable(sha256) }, ['keepSession']),
    user,
  ),
  /**
   * `id`: the hash of a token that the sender drew; `passwordHash` and `identity`: what the user had when it was checked; `idleSince`:
   * sessions not used since are over.
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
    nothing,
  ),
  'session.touch': command(object({ id: sha256 }), nothing),
  'session.end': command(object({ id: sha256 }), nothing),
  /** Refused, or answered as the first request under the key was: with the result of that request's command. */
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
  'machineGroup.delete': command(idOnly, nothing),
  'operator.put': putCommand(operatorInput, { id }, operator),
  'operator.delete': command(idOnly, nothing),
  'operatorRun.start': command(operatorRunInput, operatorRun),
  'operatorRun.end': command(extended(operatorRunEndInput, { id }), operatorRun),
  'downtimeReason.put': putCommand(downtimeReasonInput, { id: nullable(intId) }, downtimeReason, ['id']),
  'downtimeReason.delete': command(object({ id: intId }), nothing),
  'annotation.put': putCommand(annotationInput, { id: nullable(uuid) }, annotation, ['id']),
  'annotation.delete': command(idOnly, nothing),
  /**
   * `reasonId` null: removes the reason. `stamp` (`annotationStamp`): annotations that the caller saw; 409 if they have
   * changed.
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
  /** The stop of an annotation that `endsWithStop` has ended. `startAt`: of the annotation at the time of the check. */
  'annotation.endWithStop': command(object({ id: uuid, startAt: instant, endAt: instant }), nothing),
  'partAdjustmentType.put': putCommand(partAdjustmentTypeInput, { id: nullable(intId) }, partAdjustmentType, ['id']),
  'partAdjustmentType.delete': command(object({ id: intId }), nothing),
  'partAdjustment.create': command(partAdjustmentInput, partAdjustment),
  'partAdjustment.update': command(extended(partAdjustmentChange, { id: shortText }), partAdjustment),
  'partAdjustment.delete': command(idOnly, nothing),
  'jobOperation.put': putCommand(jobOperationInput, { id }, jobOperation),
  'jobOperation.delete': command(idOnly, nothing),
  'jobRun.start': command(startRunInput, jobRun),
  'jobRun.production': command(productionInput, jobRun),
  'jobRun.end': command(stopRunInput, jobRun),
  'jobImport.apply': chunkedCommand(
    list(importChunk, { maxItems: 100_000 }),
    object({ created: int, changed: int, archived: int }),
  ),
  /** `companyId` null: every company, except those with their own request. */
  'rebuild.start': command(partial({ companyId: nullable(longText) }), rebuild),
  /** `partitions`: how many there are. */
  'rebuild.partitionDone': command(
    object({ id: longText, partition, partitions: integer(1, 1_000_000), hours: integer(0, 1e15) }),
    rebuild,
  ),
} as const satisfies Readonly<Record<string, Contract<Schema, Schema>>>

export type CommandName = keyof typeof commands
export type Payload<Name extends CommandName> = Of<(typeof commands)[Name]['payload']>
export type Result<Name extends CommandName> = Of<(typeof commands)[Name]['result']>

/** Kinds of records with a command `<kind>.put`, which answers the record. */
export type PutKind = {
  [Kind in RecordKind]: `${Kind}.put` extends CommandName
    ? Result<`${Kind}.put`> extends RecordKinds[Kind]
      ? Kind
      : never
    : never
}[RecordKind]

/** Kinds of records with a command `<kind>.delete`, which answers null. */
export type DeleteKind = {
  [Kind in RecordKind]: `${Kind}.delete` extends CommandName
    ? Result<`${Kind}.delete`> extends null
      ? Kind
      : never
    : never
}[RecordKind]
