import type { AnnotationResponse } from '../../schema/records/annotation.ts'
import type { DowntimeReasonResponse, downtimeReasonInput } from '../../schema/records/downtime-reason.ts'
import type { CompanySettings, companySettingsInput, SignOnSettings } from '../../schema/records/company.ts'
import type { alertRuleInput, alertRuleResponse } from '../../schema/records/alert-rule.ts'
import type { alertTargetInput, AlertTargetResponse, AlertTargetWithSecret } from '../../schema/records/alert-target.ts'
import type { ConnectorResponse, connectorInput } from '../../schema/records/connector.ts'
import type {
  assignInput,
  callInput,
  commentInput,
  incidentResponse,
  IncidentAssignee,
  IncidentItem,
} from '../../schema/requests/incidents.ts'
import type { TrialResult, tryInput } from '../../schema/requests/connector-trial.ts'
import type { JobOperationResponse } from '../../schema/records/job-operation.ts'
import type { machineGroupResponse, machineGroupInput } from '../../schema/records/machine-group.ts'
import type { operatorResponse, operatorInput } from '../../schema/records/operator.ts'
import type { PartAdjustmentTypeResponse, partAdjustmentTypeInput } from '../../schema/records/part-adjustment-type.ts'
import type { ScheduleResponse, scheduleInput } from '../../schema/records/schedule.ts'
import type { UserResponse } from '../../schema/records/user.ts'
import type { AuditPage } from '../../schema/requests/audit.ts'
import type { DeadLettersResponse, replayResponse, replayInput } from '../../schema/requests/dead-letters.ts'
import type { productionInput, startRunInput, stopRunInput } from '../../schema/requests/job-dispatch.ts'
import type { importPreview } from '../../schema/requests/job-import.ts'
import type { JobRunItem } from '../../schema/requests/job-runs.ts'
import type { recomputesResponse } from '../../schema/requests/recomputes.ts'
import type { userInput, userPatch } from '../../schema/requests/user.ts'
import type { MachineDetails, MachineListItem, machineInput } from '../../schema/records/machine.ts'
import type {
  PartAdjustmentResponse,
  PartAdjustmentChange,
  partAdjustmentInput,
} from '../../schema/records/part-adjustment.ts'
import type { Account } from '../../schema/requests/account.ts'
import type { AlarmInstancesResponse } from '../../schema/requests/alarm-instances.ts'
import type { ApiKey, apiKeyInput, apiKeyPatch, newApiKey } from '../../schema/requests/api-key.ts'
import type { CycleTimesResponse } from '../../schema/requests/cycle-times.ts'
import type { ProductionExplanation } from '../../schema/requests/production-explanation.ts'
import type {
  categorizeInput,
  DowntimeRecordResponse,
  mergeInput,
  MicrostopsResponse,
  splitInput,
} from '../../schema/requests/downtime-records.ts'
import type { MachineMetrics, MachineTimeline, MetricValues } from '../../schema/requests/machine-timeline.ts'
import type { RuleTrial, ruleTrialInput } from '../../schema/requests/rule-trial.ts'
import type { MachineStates, MachineStatesInput } from '../../schema/requests/machine-states.ts'
import type { Health, Readiness } from '../../schema/requests/health.ts'
import type { openIdLink, openIdReturn, openIdStart, SignInWays } from '../../schema/requests/openid.ts'
import type { passwordInput, Session, SignInInput } from '../../schema/requests/session.ts'
import type { SetUpInput, SetUpState, setUpToken } from '../../schema/requests/set-up.ts'
import type { Infer } from '../../schema/types.ts'
import type { AlarmInstancesQuery, AlarmReportBody, AlarmValues } from './alarms.ts'
import type { IncidentValues } from './incident-report.ts'
import type { CycleTimesBody, FlatProduction, FlatReport, FlatRequest, ProductionBody } from './production.ts'

type Deletable =
  | 'session'
  | 'session/identity'
  | 'users/:id/identity'
  | `${'machines' | 'connectors' | 'machine-groups' | 'schedules' | 'downtime-reasons' | 'part-adjustment-types'}/:id`
  | `${'alert-rules' | 'alert-targets'}/:id`
  | `${'part-adjustment' | 'operators' | 'users' | 'api-keys'}/:id`

/** An incident with its notices and comments. */
export type Incident = Infer<typeof incidentResponse>

/** Bodies and responses of the routes that the application calls, by method and path, as the schemas define them. */
export interface Endpoints extends Record<`DELETE /${Deletable}`, { body: undefined; response: null }> {
  'GET /accounts/current': { body: undefined; response: Account }
  'GET /session': { body: undefined; response: Session }
  'POST /session': { body: SignInInput; response: Session }
  'PUT /session/password': { body: Infer<typeof passwordInput>; response: null }
  'GET /session/ways': { body: undefined; response: SignInWays }
  'POST /session/openid/start': { body: undefined; response: Infer<typeof openIdStart> }
  'POST /session/openid': { body: Infer<typeof openIdReturn>; response: Session }
  'POST /session/openid/link/start': { body: undefined; response: Infer<typeof openIdStart> }
  'POST /session/openid/link': { body: Infer<typeof openIdLink>; response: null }
  'POST /set-up/check': { body: Infer<typeof setUpToken>; response: SetUpState }
  'POST /set-up': { body: SetUpInput; response: Session }
  'GET /settings': { body: undefined; response: CompanySettings }
  'GET /user-token': { body: undefined; response: string }
  'GET /health': { body: undefined; response: Health }
  'GET /health/ready': { body: undefined; response: Readiness }
  'GET /machines': { body: undefined; response: readonly MachineListItem[] }
  'PUT /machines/:id': { body: Infer<typeof machineInput>; response: MachineDetails }
  'GET /connectors': { body: undefined; response: readonly ConnectorResponse[] }
  'GET /connectors/:id': { body: undefined; response: ConnectorResponse }
  'PUT /connectors/:id': { body: Infer<typeof connectorInput>; response: ConnectorResponse }
  'POST /connectors/try': { body: Infer<typeof tryInput>; response: TrialResult }
  'GET /alert-rules': { body: undefined; response: readonly Infer<typeof alertRuleResponse>[] }
  'PUT /alert-rules/:id': { body: Infer<typeof alertRuleInput>; response: Infer<typeof alertRuleResponse> }
  'POST /alert-rules/try': { body: Infer<typeof ruleTrialInput>; response: RuleTrial }
  'GET /alert-targets': { body: undefined; response: readonly AlertTargetResponse[] }
  'PUT /alert-targets/:id': { body: Infer<typeof alertTargetInput>; response: AlertTargetWithSecret }
  'GET /incidents': { body: undefined; response: readonly IncidentItem[] }
  'GET /incidents/:id': { body: undefined; response: Incident }
  'POST /incidents/:id/acknowledge': { body: undefined; response: Incident }
  'POST /incidents/:id/resolve': { body: undefined; response: Incident }
  'POST /incidents/:id/assign': { body: Infer<typeof assignInput>; response: Incident }
  'POST /incidents/:id/comment': { body: Infer<typeof commentInput>; response: Incident }
  'GET /incident-assignees': { body: undefined; response: readonly IncidentAssignee[] }
  'POST /calls': { body: Infer<typeof callInput>; response: Incident }
  'GET /downtime-reasons': { body: undefined; response: readonly DowntimeReasonResponse[] }
  'POST /downtime-reasons': { body: Infer<typeof downtimeReasonInput>; response: DowntimeReasonResponse }
  'GET /downtime-records': { body: undefined; response: readonly DowntimeRecordResponse[] }
  'GET /downtime-records/microstops': { body: undefined; response: readonly MicrostopsResponse[] }
  'POST /downtime-records/categorize': { body: Infer<typeof categorizeInput>; response: readonly AnnotationResponse[] }
  'POST /downtime-records/split': { body: Infer<typeof splitInput>; response: readonly AnnotationResponse[] }
  'POST /downtime-records/merge': { body: Infer<typeof mergeInput>; response: readonly AnnotationResponse[] }
  'GET /machines/:id': { body: undefined; response: MachineDetails }
  'POST /machines/states': { body: MachineStatesInput; response: MachineStates }
  'GET /machines/:id/timeline': { body: undefined; response: MachineTimeline }
  'GET /machines/:id/metrics': { body: undefined; response: MachineMetrics }
  'GET /machines/:id/metric-values': { body: undefined; response: MetricValues }
  'GET /part-adjustment-types': { body: undefined; response: readonly PartAdjustmentTypeResponse[] }
  'GET /part-adjustments': { body: undefined; response: readonly PartAdjustmentResponse[] }
  'POST /part-adjustment': { body: Infer<typeof partAdjustmentInput>; response: PartAdjustmentResponse }
  'PUT /part-adjustment/:id': { body: PartAdjustmentChange; response: PartAdjustmentResponse }
  'PUT /settings': { body: Infer<typeof companySettingsInput>; response: CompanySettings }
  'GET /settings/sign-on': { body: undefined; response: SignOnSettings }
  'PUT /settings/sign-on': { body: SignOnSettings; response: SignOnSettings }
  'GET /machine-groups': { body: undefined; response: readonly Infer<typeof machineGroupResponse>[] }
  'PUT /machine-groups/:id': { body: Infer<typeof machineGroupInput>; response: Infer<typeof machineGroupResponse> }
  'GET /schedules': { body: undefined; response: readonly ScheduleResponse[] }
  'PUT /schedules/:id': { body: Infer<typeof scheduleInput>; response: ScheduleResponse }
  'PUT /downtime-reasons/:id': { body: Infer<typeof downtimeReasonInput>; response: DowntimeReasonResponse }
  'POST /part-adjustment-types': { body: Infer<typeof partAdjustmentTypeInput>; response: PartAdjustmentTypeResponse }
  'PUT /part-adjustment-types/:id': {
    body: Infer<typeof partAdjustmentTypeInput>
    response: PartAdjustmentTypeResponse
  }
  'GET /operators': { body: undefined; response: readonly Infer<typeof operatorResponse>[] }
  'PUT /operators/:id': { body: Infer<typeof operatorInput>; response: Infer<typeof operatorResponse> }
  'GET /users': { body: undefined; response: readonly UserResponse[] }
  'POST /users': { body: Infer<typeof userInput>; response: UserResponse }
  'PATCH /users/:id': { body: Infer<typeof userPatch>; response: UserResponse }
  'GET /audit': { body: undefined; response: AuditPage }
  'GET /dead-letters': { body: undefined; response: DeadLettersResponse }
  'POST /dead-letters/replay': { body: Infer<typeof replayInput>; response: Infer<typeof replayResponse> }
  'GET /demo': { body: undefined; response: { readonly machines: number; readonly complete: number } }
  'POST /demo/leave': { body: undefined; response: { readonly decommissioned: number; readonly deleted: number } }
  'GET /recomputes': { body: undefined; response: Infer<typeof recomputesResponse> }
  'GET /job-operations': { body: undefined; response: readonly JobOperationResponse[] }
  'GET /job-runs': { body: undefined; response: readonly JobRunItem[] }
  'POST /erp/jobdispatch/start': { body: Infer<typeof startRunInput>; response: null }
  'POST /erp/jobdispatch/production': { body: Infer<typeof productionInput>; response: null }
  'POST /erp/jobdispatch/stop': { body: Infer<typeof stopRunInput>; response: null }
  'POST /jobs/import': { body: FormData; response: null }
  'POST /jobs/import/preview': { body: FormData; response: Infer<typeof importPreview> }
  'GET /api-keys': { body: undefined; response: readonly ApiKey[] }
  'POST /api-keys': { body: Infer<typeof apiKeyInput>; response: Infer<typeof newApiKey> }
  'PATCH /api-keys/:id': { body: Infer<typeof apiKeyPatch>; response: ApiKey }
  'POST /reports/production': { body: ProductionBody; response: FlatProduction }
  'POST /reports/production/explanation': { body: ProductionBody; response: ProductionExplanation }
  'POST /reports/downtime': { body: FlatRequest; response: FlatReport<{ downtimeMs: number; recordCount: number }> }
  'POST /reports/quality': { body: FlatRequest; response: FlatReport<{ rejectCount: number; recordCount: number }> }
  'POST /reports/alarm': { body: AlarmReportBody; response: FlatReport<AlarmValues> }
  'POST /reports/incident': { body: FlatRequest; response: FlatReport<IncidentValues> }
  'POST /reports/cycle-times': { body: CycleTimesBody; response: CycleTimesResponse }
  'POST /reports/alarm/instances': { body: AlarmInstancesQuery; response: AlarmInstancesResponse }
}

export type Endpoint = keyof Endpoints
