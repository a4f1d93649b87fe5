import type { CompanySettings } from '../../schema/records/company.ts'
import type { AnnotationAnswer } from '../../schema/records/annotation.ts'
import type { DowntimeReasonAnswer, downtimeReasonInput } from '../../schema/records/downtime-reason.ts'
import type { MachineDetails, MachineListItem, machineInput } from '../../schema/records/machine.ts'
import type {
  PartAdjustmentAnswer,
  PartAdjustmentChange,
  partAdjustmentInput,
} from '../../schema/records/part-adjustment.ts'
import type { PartAdjustmentTypeAnswer } from '../../schema/records/part-adjustment-type.ts'
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
import type { openIdReturn, openIdStart, SignInWays } from '../../schema/requests/openid.ts'
import type { passwordInput, Session, SignInInput } from '../../schema/requests/session.ts'
import type { SetUpInput, SetUpState, setUpToken } from '../../schema/requests/set-up.ts'
import type { Of } from '../../schema/types.ts'
import type { AlarmInstancesRequest, AlarmRequest, AlarmValues } from './alarms.ts'
import type { FlatProduction, FlatReport, FlatRequest, ProductionRequest } from './production.ts'

/** Bodies and answers of the routes that the application calls, by method and path. The types are those of the schemas. */
export interface Endpoints {
  'GET /accounts/current': { body: undefined; answer: Account }
  'GET /session': { body: undefined; answer: Session }
  'POST /session': { body: SignInInput; answer: Session }
  'DELETE /session': { body: undefined; answer: null }
  'PUT /session/password': { body: Of<typeof passwordInput>; answer: null }
  'GET /session/ways': { body: undefined; answer: SignInWays }
  'POST /session/openid/start': { body: undefined; answer: Of<typeof openIdStart> }
  'POST /session/openid': { body: Of<typeof openIdReturn>; answer: Session }
  'POST /session/openid/link': { body: Of<typeof openIdReturn>; answer: null }
  'POST /set-up/check': { body: Of<typeof setUpToken>; answer: SetUpState }
  'POST /set-up': { body: SetUpInput; answer: Session }
  'GET /settings': { body: undefined; answer: CompanySettings }
  'GET /user-token': { body: undefined; answer: string }
  'GET /health': { body: undefined; answer: Health }
  'GET /machines': { body: undefined; answer: readonly MachineListItem[] }
  'PUT /machines/:id': { body: Of<typeof machineInput>; answer: MachineDetails }
  'GET /downtime-reasons': { body: undefined; answer: readonly DowntimeReasonAnswer[] }
  'POST /downtime-reasons': { body: Of<typeof downtimeReasonInput>; answer: DowntimeReasonAnswer }
  'GET /downtime-records': { body: undefined; answer: readonly DowntimeRecordAnswer[] }
  'POST /downtime-records/categorize': { body: Of<typeof categorizeInput>; answer: readonly AnnotationAnswer[] }
  'POST /downtime-records/split': { body: Of<typeof splitInput>; answer: readonly AnnotationAnswer[] }
  'POST /downtime-records/merge': { body: Of<typeof mergeInput>; answer: readonly AnnotationAnswer[] }
  'GET /machines/:id': { body: undefined; answer: MachineDetails }
  'GET /machines/:id/timeline': { body: undefined; answer: MachineTimeline }
  'GET /machines/:id/metrics': { body: undefined; answer: MachineMetrics }
  'GET /machines/:id/metric-values': { body: undefined; answer: MetricValues }
  'GET /part-adjustment-types': { body: undefined; answer: readonly PartAdjustmentTypeAnswer[] }
  'GET /part-adjustments': { body: undefined; answer: readonly PartAdjustmentAnswer[] }
  'POST /part-adjustment': { body: Of<typeof partAdjustmentInput>; answer: PartAdjustmentAnswer }
  'PUT /part-adjustment/:id': { body: PartAdjustmentChange; answer: PartAdjustmentAnswer }
  'DELETE /part-adjustment/:id': { body: undefined; answer: null }
  'GET /api-keys': { body: undefined; answer: readonly ApiKey[] }
  'POST /api-keys': { body: Of<typeof apiKeyInput>; answer: Of<typeof newApiKey> }
  'PATCH /api-keys/:id': { body: Of<typeof apiKeyPatch>; answer: ApiKey }
  'DELETE /api-keys/:id': { body: undefined; answer: null }
  'POST /reports/production': { body: ProductionRequest; answer: FlatProduction }
  'POST /reports/production/explanation': { body: ProductionRequest; answer: ProductionExplanation }
  'POST /reports/downtime': { body: FlatRequest; answer: FlatReport<{ downtimeMs: number; recordCount: number }> }
  'POST /reports/quality': { body: FlatRequest; answer: FlatReport<{ rejectCount: number; recordCount: number }> }
  'POST /reports/alarm': { body: AlarmRequest; answer: FlatReport<AlarmValues> }
  'POST /reports/alarm/instances': { body: AlarmInstancesRequest; answer: AlarmInstancesAnswer }
}

export type Endpoint = keyof Endpoints
