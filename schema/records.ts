import type { Role } from './roles.ts'

/**
 * The plant's records as they are stored and followed by every process. Instants are ISO strings (`YYYY-MM-DDTHH:mm:ss.SSSZ`),
 * as the API shows them. `ref` is an int given out by the registrar, unique in the installation and never used again:
 * what the columnar store keys by.
 */
export interface CompanyRecord {
  readonly id: string
  readonly ref: number
  readonly settings: CompanySettings
  /** What its user tokens are signed with: 32 bytes, hex. Made when the first one is asked for; never shown. */
  readonly tokenSecret?: string
}

export type ScheduledBy = 'shift' | 'job'

export interface CompanySettings {
  readonly companyName: string
  /** IANA name. */
  readonly timeZone: string
  /** Local wall time `HH:mm`. */
  readonly startOfDay: string
  /** 1 = Monday … 7 = Sunday. */
  readonly firstDayOfWeek: number
  readonly scheduledBy: ScheduledBy
  readonly autoProduction: boolean
  readonly operatorMaxHours: number
  readonly maxSampleAgeDays: number
  readonly thresholds: Thresholds
}

/** Fractions 0..1. */
export interface Thresholds {
  readonly oeeWarning: number
  readonly oeeFailure: number
  readonly partsGoalWarning: number
  readonly partsGoalFailure: number
  readonly utilizationWarning: number
  readonly utilizationFailure: number
}

export type PartCounter = 'counter' | 'cycle' | 'program' | 'none'

export interface MachineRecord {
  readonly id: string
  readonly ref: number
  readonly companyId: string
  readonly name: string
  readonly make: string | null
  readonly model: string | null
  readonly erpMachineId: string | null
  readonly machineGroupIds: readonly string[]
  readonly scheduleId: string | null
  readonly partCounter: PartCounter
  readonly partCountKey: string | null
  readonly maxPartJump: number
  readonly maxResetParts: number
  readonly microstopMs: number
  /** null: off. */
  readonly staleAfterMs: number | null
  /** null: the company's. */
  readonly scheduledBy: ScheduledBy | null
  readonly cutSignal: { readonly key: string; readonly above: number } | null
  readonly spindleAbove: number
  readonly thresholds: Partial<Thresholds>
  readonly commissionedAt: string | null
  readonly decommissionedAt: string | null
  readonly createdAt: string
}

export interface ScheduleRecord {
  readonly id: string
  readonly companyId: string
  readonly name: string
  readonly versions: readonly ScheduleVersion[]
  readonly exceptions: readonly ScheduleException[]
}

export interface ScheduleVersion {
  /** Local date `YYYY-MM-DD`; null: since ever. */
  readonly effectiveFrom: string | null
  readonly shifts: readonly Shift[]
}

export interface ScheduleException {
  /** Local date. */
  readonly date: string
  readonly shifts: readonly ShiftTimes[]
}

export interface ShiftTimes {
  readonly id: string
  /** One int per (schedule, shift id): a shift's definition. */
  readonly ref: number
  readonly name: string
  readonly optional: boolean
  /** Local wall time `HH:mm`; an end not after the start is on the next date. */
  readonly start: string
  readonly end: string
}

export interface Shift extends ShiftTimes {
  /** ISO weekdays on which it starts. */
  readonly days: readonly number[]
}

/** An API key; only the hash of its value is kept. */
export interface KeyRecord {
  readonly id: string
  readonly companyId: string
  readonly name: string
  readonly scopes: readonly string[]
  /** SHA-256 of the value, hex. */
  readonly hash: string
  readonly createdAt: string
  /** Since when it opens nothing, for a time or for good; null or missing: it is in use. */
  readonly disabledAt?: string | null
}

/** Someone who signs in with a password. */
export interface UserRecord {
  readonly id: string
  readonly companyId: string
  /** In lower case, unique in the installation: who signs in names no company. */
  readonly email: string
  readonly displayName: string
  readonly role: Role
  /** With its salt and the parameters that it was made with. */
  readonly passwordHash: string
  readonly createdAt: string
  /** null: may sign in. */
  readonly disabledAt: string | null
}

/** A user's stay from signing in to signing out. */
export interface SessionRecord {
  /** SHA-256, hex, of the token that the browser has. */
  readonly id: string
  readonly companyId: string
  readonly userId: string
  readonly createdAt: string
  /** When it ends, used or not. */
  readonly expiresAt: string
  /** When it was last known to be in use; now and then renewed. */
  readonly usedAt: string
}

export interface MachineGroupRecord {
  readonly id: string
  readonly ref: number
  readonly companyId: string
  readonly name: string
}

export interface OperatorRecord {
  readonly id: string
  readonly ref: number
  readonly companyId: string
  readonly name: string
}

export interface OperatorRunRecord {
  readonly id: string
  readonly companyId: string
  readonly machineId: string
  readonly operatorId: string
  readonly startAt: string
  readonly endAt: string | null
}

export interface DowntimeReasonRecord {
  /** A positive int, unique in the installation; also its ref. */
  readonly id: number
  readonly companyId: string
  readonly name: string
  readonly color: string
  readonly planned: boolean
  readonly hidden: boolean
}

export interface AnnotationRecord {
  readonly id: string
  readonly companyId: string
  readonly machineId: string
  readonly reasonId: number
  readonly startAt: string
  readonly endAt: string | null
  readonly note: string
}

export type RejectBehavior = 'scrap' | 'nonconform'

export interface PartAdjustmentTypeRecord {
  readonly id: number
  readonly companyId: string
  readonly name: string
  readonly color: string
  readonly correction: boolean
  readonly scrap: boolean
  readonly rejectBehavior: RejectBehavior | 'operator'
  readonly hidden: boolean
}

export interface PartAdjustmentRecord {
  readonly id: string
  readonly companyId: string
  readonly machineId: string
  readonly adjustmentTime: string
  /** null: uncategorized. */
  readonly categoryId: number | null
  readonly message: string
  readonly scrapCount: number
  readonly count: number
  /** As sent; the type's behaviour may override it. */
  readonly rejectBehavior: RejectBehavior | null
}

export interface JobTimes {
  /** Seconds. */
  readonly expectedSetupTime: number | null
  /** Milliseconds per part. */
  readonly idealPartTime: number | null
  readonly expectedPartTime: number | null
  readonly partCountMultiplier: number | null
}

export interface WorkCenter extends JobTimes {
  /** Exactly one of the two is set. */
  readonly machineId: string | null
  readonly machineGroupId: string | null
}

export interface JobOperationRecord extends JobTimes {
  readonly id: string
  readonly ref: number
  readonly companyId: string
  readonly jobName: string
  readonly lotName: string
  readonly operationName: string
  readonly partName: string
  readonly description: string | null
  readonly dueAt: string | null
  readonly partValue: number | null
  readonly quantityRequired: number | null
  readonly workCenters: readonly WorkCenter[]
  readonly thresholds: Partial<Thresholds>
  readonly archivedAt: string | null
}

export interface JobRunRecord {
  /** The ERP's id of the run (`erpJobOperationRunId`). */
  readonly id: string
  readonly ref: number
  readonly companyId: string
  readonly machineId: string
  readonly jobOperationId: string
  readonly startInSetup: boolean
  readonly startAt: string
  readonly endAt: string | null
  /** When it was told to go to production; null: never. */
  readonly productionAt: string | null
  /** Rises with every start told; of runs with equal `startAt` the later told one stands. */
  readonly told: number
}

/** A processor's claim of a facts partition. */
export interface ClaimRecord {
  /** `facts/<partition>` */
  readonly id: string
  readonly owner: string
  /** Rises with every claim (given out like a `ref`): documents written under an older fence always lose. */
  readonly fence: number
}

/** Everything made again from the samples and the records, as it was asked for. */
export interface RebuildRecord {
  readonly id: string
  /** '': of every company. */
  readonly companyId: string
  readonly requestedAt: string
  /** Machine-hours that were made again, by partition of facts, of those that are done. */
  readonly doneHours: Readonly<Record<string, number>>
  /** null: it is still asked for. */
  readonly finishedAt: string | null
}

/** Every kind of record by its name. */
export interface RecordKinds {
  company: CompanyRecord
  key: KeyRecord
  user: UserRecord
  session: SessionRecord
  machine: MachineRecord
  schedule: ScheduleRecord
  machineGroup: MachineGroupRecord
  operator: OperatorRecord
  operatorRun: OperatorRunRecord
  downtimeReason: DowntimeReasonRecord
  annotation: AnnotationRecord
  partAdjustmentType: PartAdjustmentTypeRecord
  partAdjustment: PartAdjustmentRecord
  jobOperation: JobOperationRecord
  jobRun: JobRunRecord
  claim: ClaimRecord
  rebuild: RebuildRecord
}

export type RecordKind = keyof RecordKinds

/** What happened to one record: created (no before), changed, or deleted (no after). */
export type Change = {
  [K in RecordKind]: {
    readonly kind: K
    readonly id: string
    readonly before: RecordKinds[K] | null
    readonly after: RecordKinds[K] | null
  }
}[RecordKind]

/** Who asked for a change, as it was then. */
export interface Actor {
  readonly kind: 'key' | 'user' | 'service'
  readonly name: string
}

/** What a process asks of the registrar, in `commands.v1`. Clock and randomness are drawn by the sender, so that folding is pure. */
export interface Command {
  /** UUID; a repeated id is answered again, not done again. */
  readonly id: string
  /** After this the registrar drops it. */
  readonly deadlineMs: number
  readonly nowMs: number
  /** UUIDs for records that the command creates. */
  readonly freshIds: readonly string[]
  /** null: the installation itself (first start, claims). */
  readonly companyId: string | null
  /** Who asked, for the audit trail: the id of a key or a user, or what part of the service it was. */
  readonly actor: string
  /** Missing: a part of the service, or written before this was kept. */
  readonly by?: Actor
  /** e.g. `machine.put`; the registrar's catalogue of commands types the payload. */
  readonly name: string
  readonly payload: unknown
  /** Where the command is too large for one record of the log: its payload then is the list of its parts' payloads. */
  readonly part?: Part
}

/** Which part of how many a record of the log holds, from 0. */
export interface Part {
  readonly index: number
  readonly count: number
}

export type Outcome =
  { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly error: CommandError }

/** `status` is the HTTP status that the API answers. */
export interface CommandError {
  readonly status: 400 | 404 | 409
  readonly code: string
  readonly message: string
  readonly errors: readonly Fault[]
}

/** One fault of a request. Codes: see `schema/errors.ts`. */
export interface Fault {
  readonly field: string
  readonly code: string
  readonly message: string
}

/** One entry of `records.v1`: a command, its outcome and what it changed, as one. */
export interface RecordEntry {
  readonly command: Omit<Command, 'payload' | 'freshIds' | 'part'>
  /** Offset of the command in commands.v1: rises from entry to entry; one that does not repeats an earlier entry. */
  readonly commandOffset: number
  readonly outcome: Outcome
  readonly changes: readonly Change[]
  /** Where the entry is too large for one record of the log: its parts follow each other, each with some of the changes. */
  readonly part?: Part
}

export const defaultThresholds: Thresholds = {
  oeeWarning: 0.75,
  oeeFailure: 0.6,
  partsGoalWarning: 0.9,
  partsGoalFailure: 0.75,
  utilizationWarning: 0.6,
  utilizationFailure: 0.4,
}

export const defaultCompanySettings: CompanySettings = {
  companyName: 'My plant',
  timeZone: 'UTC',
  startOfDay: '00:00',
  firstDayOfWeek: 1,
  scheduledBy: 'shift',
  autoProduction: false,
  operatorMaxHours: 16,
  maxSampleAgeDays: 7300,
  thresholds: defaultThresholds,
}

/** Settings of a machine that its record leaves out. */
export const defaultMachineSettings = {
  make: null,
  model: null,
  erpMachineId: null,
  machineGroupIds: [],
  scheduleId: null,
  partCounter: 'counter',
  partCountKey: null,
  maxPartJump: 1000,
  maxResetParts: 10,
  microstopMs: 0,
  staleAfterMs: null,
  scheduledBy: null,
  cutSignal: null,
  spindleAbove: 1,
  thresholds: {},
  commissionedAt: null,
  decommissionedAt: null,
} as const satisfies Partial<MachineRecord>
