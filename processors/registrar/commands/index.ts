import type { CommandSpec } from '../deciding/command.ts'
import { alertPauseCommands } from './alert-pause.ts'
import { alertRuleCommands } from './alert-rule.ts'
import { alertTargetCommands } from './alert-target.ts'
import { annotationCommands } from './annotation.ts'
import { callCommands } from './call.ts'
import { claimCommands } from './claim.ts'
import { connectorCommands } from './connector.ts'
import { downtimeReasonCommands } from './downtime-reason.ts'
import { identityCommands } from './identity.ts'
import { deliveryCommands } from './delivery.ts'
import { incidentActionCommands } from './incident-actions.ts'
import { incidentEvaluationCommands } from './incident-evaluation.ts'
import { installationCommands } from './installation.ts'
import { demoCommands } from './leave-demo.ts'
import { jobImportCommands } from './job-import.ts'
import { jobOperationCommands } from './job-operation.ts'
import { jobRunCommands } from './job-run.ts'
import { keyCommands } from './key.ts'
import { machineGroupCommands } from './machine-group.ts'
import { machineCommands } from './machine.ts'
import { operatorRunCommands } from './operator-run.ts'
import { operatorCommands } from './operator.ts'
import { partAdjustmentTypeCommands } from './part-adjustment-type.ts'
import { partAdjustmentCommands } from './part-adjustment.ts'
import { rebuildCommands } from './rebuild.ts'
import { requestCommands } from './request.ts'
import { scheduleCommands } from './schedule.ts'
import { sessionCommands } from './session.ts'
import { settingsCommands } from './settings.ts'
import { userCommands } from './user.ts'

/** Every command by name. */
export const catalogue: ReadonlyMap<string, CommandSpec> = new Map(
  [
    ...installationCommands,
    ...demoCommands,
    ...claimCommands,
    ...settingsCommands,
    ...machineCommands,
    ...scheduleCommands,
    ...keyCommands,
    ...userCommands,
    ...identityCommands,
    ...sessionCommands,
    ...machineGroupCommands,
    ...operatorCommands,
    ...operatorRunCommands,
    ...connectorCommands,
    ...alertTargetCommands,
    ...alertRuleCommands,
    ...alertPauseCommands,
    ...incidentEvaluationCommands,
    ...incidentActionCommands,
    ...deliveryCommands,
    ...callCommands,
    ...downtimeReasonCommands,
    ...annotationCommands,
    ...partAdjustmentTypeCommands,
    ...partAdjustmentCommands,
    ...jobOperationCommands,
    ...jobRunCommands,
    ...jobImportCommands,
    ...rebuildCommands,
    ...requestCommands,
  ].map(spec => [spec.name, spec]),
)
