import { demoActions, type DemoAction } from './simulate/demo-actions.ts'
import { type DemoLanguage, inLanguage } from './simulate/language.ts'
import type { Plant } from './simulate/plant.ts'
import type { PlantClient } from './plant-client.ts'
import type { OperatorRunRecord } from '../schema/records/operator-run.ts'
import { mapConcurrently } from '../shared/async/map-concurrently.ts'
import { instantText } from '../shared/time/instant.ts'

const concurrency = 64

/** Executes the actions of operators and the ERP in [fromMs, toMs), UTC ms. Skips actions that were executed before. */
export async function executeActions(client: PlantClient, plant: Plant, fromMs: number, toMs: number): Promise<void> {
  const machines = plant.machines.map(({ index }) => index)
  await mapConcurrently(machines, concurrency, async machine => {
    // In sequence: a run must exist before it can go to production.
    const signIns = new Map<string, OperatorRunRecord>()
    for (const action of demoActions(plant, machine, fromMs, toMs)) {
      await executeAction(client, plant.language, action, signIns)
    }
  })
}

/**
 * Executes an action, unless the records in memory show that it was executed. Old records are not in memory: most actions
 * on them have no effect if they are repeated. `signIns`: the last sign-in at the machine by operator.
 */
async function executeAction(
  client: PlantClient,
  language: DemoLanguage,
  action: DemoAction,
  signIns: Map<string, OperatorRunRecord>,
): Promise<unknown> {
  const { records, companyId } = client
  const { machineId } = action
  const at = instantText(action.atMs)
  switch (action.kind) {
    case 'startRun':
      if (records.get('jobRun', companyId, action.runId)) return null
      return startRun(client, action)
    case 'production':
      if ((records.get('jobRun', companyId, action.runId)?.productionAt ?? null) !== null) return null
      return client.submit('jobRun.production', {
        erpJobOperationRunId: action.runId,
        productionAt: at,
      })
    case 'endRun':
      if ((records.get('jobRun', companyId, action.runId)?.endAt ?? null) !== null) return null
      return client.submit('jobRun.end', { erpJobOperationRunId: action.runId, endAt: at })
    case 'signIn': {
      if (signInAt(client, machineId, action.operatorId, run => run.startAt === at)) return null
      const signIn = { machineId, operatorId: action.operatorId, startAt: at }
      const started = await client.submit('operatorRun.start', signIn)
      if (started) signIns.set(action.operatorId, started)
      return started
    }
    case 'signOut': {
      const isOpen = (run: Pick<OperatorRunRecord, 'startAt' | 'endAt'>) => run.endAt === null && run.startAt < at
      const open = signInAt(client, machineId, action.operatorId, isOpen) ?? signIns.get(action.operatorId)
      signIns.delete(action.operatorId)
      return open && client.submit('operatorRun.end', { id: open.id, endAt: at })
    }
    case 'annotate': {
      const own = inLanguage(language, action.reason)
      const reason = records.list('downtimeReason', companyId).find(({ name }) => name === own)
      if (!reason || records.get('annotation', companyId, action.id)) return null
      const times = { startAt: instantText(action.startMs), endAt: at }
      return client.submit('annotation.put', { id: action.id, machineId, reasonId: reason.id, ...times })
    }
    case 'reject':
      return reject(client, language, action, at)
  }
}

function signInAt(
  { records }: PlantClient,
  machineId: string,
  operatorId: string,
  matches: (run: { readonly startAt: string; readonly endAt: string | null }) => boolean,
) {
  return records.operatorRunsOf(machineId).find(run => run.operatorId === operatorId && matches(run))
}

async function startRun(client: PlantClient, action: Extract<DemoAction, { kind: 'startRun' }>): Promise<unknown> {
  const machine = client.records.machine(action.machineId)
  if (!machine?.erpMachineId) return null
  const { jobName, lotName, operationName, partName, quantityRequired } = action.operation
  const { expectedSetupTime, idealPartTime, expectedPartTime } = action.operation
  return client.submit('jobRun.start', {
    erpJobOperationRunId: action.runId,
    erpMachineId: machine.erpMachineId,
    jobName,
    lotName,
    operationName,
    partName,
    quantityRequired,
    expectedSetupTime,
    idealPartTime,
    expectedPartTime,
    startInSetup: action.inSetup,
    startAt: instantText(action.atMs),
  })
}

/** Converts good parts to rejected parts. */
async function reject(
  client: PlantClient,
  language: DemoLanguage,
  action: Extract<DemoAction, { kind: 'reject' }>,
  at: string,
): Promise<unknown> {
  const { records, companyId } = client
  if (records.adjustmentsOf(action.machineId).some(({ adjustmentTime }) => adjustmentTime === at)) return null
  const own = inLanguage(language, action.type)
  const type = records.list('partAdjustmentType', companyId).find(({ name }) => name === own)
  const counts = { scrapcount: action.parts, count: -action.parts, category_id: type?.id ?? null }
  return client.submit('partAdjustment.create', { machine_id: action.machineId, adjustmenttime: at, ...counts })
}
