import type { AnnotationAnswer } from '../../schema/records/annotation.ts'
import type { DowntimeReasonAnswer, downtimeReasonInput } from '../../schema/records/downtime-reason.ts'
import type { CompanySettings, companySettingsInput, SignOnSettings } from '../../schema/records/company.ts'
import type { JobOperationAnswer } from '../../schema/records/job-operation.ts'
import type { machineGroupAnswer, machineGroupInput } from '../../schema/records/machine-group.ts'
import type { operatorAnswer, operatorInput } from '../../schema/records/operator.ts'
import type { PartAdjustmentTypeAnswer, partAdjustmentTypeInput } from '../../schema/records/part-adjustment-type.ts'
import type { ScheduleAnswer, scheduleInput } from '../../schema/records/schedule.ts'
import type { UserAnswer } from '../../schema/records/user.ts'
import type { AuditPage } from '../../schema/requests/audit.ts'
import type { DeadLettersAnswer, replayAnswer, replayInput } from '../../schema/requests/dead-letters.ts'
import type { productionInput, startRunInput, stopRunInput } from '../../schema/requests/job-dispatch.ts'
import type { importPreview } from '../../schema/requests/job-import.ts'
import type { JobRunItem } from '../../schema/requests/job-runs.ts'
import type { recomputesAnswer } from '../../schema/requests/recomputes.ts'
import type { userInput, userPatch } from '../../schema/requests/user.ts'
import type { MachineDetails, MachineListItem, machineInput } from '../../schema/records/machine.ts'
import type {
  PartAdjustmentAnswer,
  PartAdjustmentChange,
  partAdjustmentInput,
} from '../../schema/records/part-adjustment.ts'
import type { Account } from '../../schema/requests/account.ts'
import type { AlarmInstancesAnswer } from '../../schema/requests/alarm-instances.ts'
import type { ApiKey, apiKeyInput, apiKeyPatch, newApiKey } from '../../schema/requests/api-key.ts'
import type { ProductionExplanation } from '../../schema/requests/production-explanation.ts'
import type {
  categorizeInput,
  DowntimeRecordAnswer,
  mergeInput,
  splitInput,
} from '../../schema/requests/downtime-records.ts'
import type { MachineMetrics, MachineTimeline, MetricValues } from '../../schema/requests/machine-timeline.ts'
import type { Health } from '../../schema/requests/health.ts'
import type { openIdLink, openIdReturn, openIdStart, SignInWays } from '../../schema/requests/openid.ts'
import type { passwordInput, Session, SignInInput } from '../../schema/requests/session.ts'
import type { SetUpInput, SetUpState, setUpToken } from '../../schema/requests/set-up.ts'
import type { Infer } from '../../schema/types.ts'
import type { AlarmInstancesQuery, AlarmReportBody, AlarmValues } from './alarms.ts'
import type { FlatProduction, FlatReport, FlatRequest, ProductionBody } from './production.ts'

/** Paths that can be deleted. */
type Deletable =
  | 'session'
  | 'session/identity'
  | 'users/:id/identity'
  | `${'machines' | 'machine-groups' | 'schedules' | 'downtime-reasons' | 'part-adjustment-types'}/:id`
  | `${'part-adjustment' | 'operators' | 'users' | 'api-keys'}/:id`

/** Bodies and responses of the routes that the application calls, by method and path, as the schemas define them. */
export interface Endpoints extends Record<`DELETE /${Deletable}`, { body: undefined; answer: null }> {
  'GET /accounts/current': { body: undefined; answer: Account }
  'GET /session': { body: undefined; answer: Session }
  'POST /session': { body: SignInInput; answer: Session }
  'PUT /session/password': { body: Infer<typeof passwordInput>; answer: null }
  'GET /session/ways': { body: undefined; answer: SignInWays }
  'POST /session/openid/start': { body: undefined; answer: Infer<typeof openIdStart> }
  'POST /session/openid': { body: Infer<typeof openIdReturn>; answer: Session }
  'POST /session/openid/link/start': { body: undefined; answer: Infer<typeof openIdStart> }
  'POST /session/openid/link': { body: Infer<typeof openIdLink>; answer: null }
  'POST /set-up/check': { body: Infer<typeof setUpToken>; answer: SetUpState }
  'POST /set-up': { body: SetUpInput; answer: Session }
  'GET /settings': { body: undefined; answer: CompanySettings }
  'GET /user-token': { body: undefined; answer: string }
  'GET /health': { body: undefined; answer: Health }
  'GET /machines': { body: undefined; answer: readonly MachineListItem[] }
  'PUT /machines/:id': { body: Infer<typeof machineInput>; answer: MachineDetails }
  'GET /downtime-reasons': { body: undefined; answer: readonly DowntimeReasonAnswer[] }
  'POST /downtime-reasons': { body: Infer<typeof downtimeReasonInput>; answer: DowntimeReasonAnswer }
  'GET /downtime-records': { body: undefined; answer: readonly DowntimeRecordAnswer[] }
  'POST /downtime-records/categorize': { body: Infer<typeof categorizeInput>; answer: readonly AnnotationAnswer[] }
  'POST /downtime-records/split': { body: Infer<typeof splitInput>; answer: readonly AnnotationAnswer[] }
  'POST /downtime-records/merge': { body: Infer<typeof mergeInput>; answer: readonly AnnotationAnswer[] }
  'GET /machines/:id': { body: undefined; answer: MachineDetails }
  'GET /machines/:id/timeline': { body: undefined; answer: MachineTimeline }
  'GET /machines/:id/metrics': { body: undefined; answer: MachineMetrics }
  'GET /machines/:id/metric-values': { body: undefined; answer: MetricValues }
  'GET /part-adjustment-types': { body: undefined; answer: readonly PartAdjustmentTypeAnswer[] }
  'GET /part-adjustments': { body: undefined; answer: readonly PartAdjustmentAnswer[] }
  'POST /part-adjustment': { body: Infer<typeof partAdjustmentInput>; answer: PartAdjustmentAnswer }
  'PUT /part-adjustment/:id': { body: PartAdjustmentChange; answer: PartAdjustmentAnswer }
  'PUT /settings': { body: Infer<typeof companySettingsInput>; answer: CompanySettings }
  'GET /settings/sign-on': { body: undefined; answer: SignOnSettings }
  'PUT /settings/sign-on': { body: SignOnSettings; answer: SignOnSettings }
  'GET /machine-groups': { body: undefined; answer: readonly Infer<typeof machineGroupAnswer>[] }
  'PUT /machine-groups/:id': { body: Infer<typeof machineGroupInput>; answer: Infer<typeof machineGroupAnswer> }
  'GET /schedules': { body: undefined; answer: readonly ScheduleAnswer[] }
  'PUT /schedules/:id': { body: Infer<typeof scheduleInput>; answer: ScheduleAnswer }
  'PUT /downtime-reasons/:id': { body: Infer<typeof downtimeReasonInput>; answer: DowntimeReasonAnswer }
  'POST /part-adjustment-types': { body: Infer<typeof partAdjustmentTypeInput>; answer: PartAdjustmentTypeAnswer }
  'PUT /part-adjustment-types/:id': { body: Infer<typeof partAdjustmentTypeInput>; answer: PartAdjustmentTypeAnswer }
  'GET /operators': { body: undefined; answer: readonly Infer<typeof operatorAnswer>[] }
  'PUT /operators/:id': { body: Infer<typeof operatorInput>; answer: Infer<typeof operatorAnswer> }
  'GET /users': { body: undefined; answer: readonly UserAnswer[] }
  'POST /users': { body: Infer<typeof userInput>; answer: UserAnswer }
  'PATCH /users/:id': { body: Infer<typeof userPatch>; answer: UserAnswer }
  'GET /audit': { body: undefined; answer: AuditPage }
  'GET /dead-letters': { body: undefined; answer: DeadLettersAnswer }
  'POST /dead-letters/replay': { body: Infer<typeof replayInput>; answer: Infer<typeof replayAnswer> }
  'GET /demo': { body: undefined; answer: { readonly machines: number; readonly complete: number } }
  'POST /demo/leave': { body: undefined; answer: { readonly decommissioned: number; readonly deleted: number } }
  'GET /recomputes': { body: undefined; answer: Infer<typeof recomputesAnswer> }
  'GET /job-operations': { body: undefined; answer: readonly JobOperationAnswer[] }
  'GET /job-runs': { body: undefined; answer: readonly JobRunItem[] }
  'POST /erp/jobdispatch/start': { body: Infer<typeof startRunInput>; answer: null }
  'POST /erp/jobdispatch/production': { body: Infer<typeof productionInput>; answer: null }
  'POST /erp/jobdispatch/stop': { body: Infer<typeof stopRunInput>; answer: null }
  'POST /jobs/import': { body: FormData; answer: null }
  'POST /jobs/import/preview': { body: FormData; answer: Infer<typeof importPreview> }
  'GET /api-keys': { body: undefined; answer: readonly ApiKey[] }
  'POST /api-keys': { body: Infer<typeof apiKeyInput>; answer: Infer<typeof newApiKey> }
  'PATCH /api-keys/:id': { body: Infer<typeof apiKeyPatch>; answer: ApiKey }
  'POST /reports/production': { body: ProductionBody; answer: FlatProduction }
  'POST /reports/production/explanation': { body: ProductionBody; answer: ProductionExplanation }
  'POST /reports/downtime': { body: FlatRequest; answer: FlatReport<{ downtimeMs: number; recordCount: number }> }
  'POST /reports/quality': { body: FlatRequest; answer: FlatReport<{ rejectCount: number; recordCount: number }> }
  'POST /reports/alarm': { body: AlarmReportBody; answer: FlatReport<AlarmValues> }
  'POST /reports/alarm/instances': { body: AlarmInstancesQuery; answer: AlarmInstancesAnswer }
}

export type Endpoint = keyof Endpoints
