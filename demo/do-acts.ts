import { demoActs, type DemoAct } from './simulate/demo-acts.ts'
import type { Plant } from './simulate/plant.ts'
import type { PlantClient } from './plant-client.ts'
import { mapConcurrently } from '../shared/async/map-concurrently.ts'

const width = 64

/** Does what people and the ERP tell in [fromMs, toMs) (UTC ms). What was done before is not done twice. */
export async function doActs(client: PlantClient, plant: Plant, fromMs: number, toMs: number): Promise<void> {
  const machines = plant.machines.map(({ index }) => index)
  await mapConcurrently(machines, width, async machine => {
    // One after the other: a run must be known before it can go to production.
    for (const act of demoActs(plant, machine, fromMs, toMs)) await doAct(client, act)
  })
}

async function doAct(client: PlantClient, act: DemoAct): Promise<void> {
  const { records, companyId } = client
  const { machineId } = act
  const at = isoOf(act.atMs)
  switch (act.kind) {
    case 'startRun':
      if (records.get('jobRun', companyId, act.runId)) return
      return startRun(client, act)
    case 'production':
      if (records.get('jobRun', companyId, act.runId)?.productionAt !== null) return
      return client.submit('jobRun.production', { erpJobOperationRunId: act.runId, productionAt: at })
    case 'endRun':
      if (records.get('jobRun', companyId, act.runId)?.endAt !== null) return
      return client.submit('jobRun.end', { erpJobOperationRunId: act.runId, endAt: at })
    case 'signIn':
      if (signInAt(client, machineId, act.operatorId, run => run.startAt === at)) return
      return client.submit('operatorRun.start', { machineId, operatorId: act.operatorId, startAt: at })
    case 'signOut': {
      const open = signInAt(client, machineId, act.operatorId, run => run.endAt === null && run.startAt < at)
      return open && client.submit('operatorRun.end', { id: open.id, endAt: at })
    }
    case 'annotate': {
      const reason = records.list('downtimeReason', companyId).find(({ name }) => name === act.reason)
      if (!reason || records.get('annotation', companyId, act.id)) return
      const times = { startAt: isoOf(act.startMs), endAt: at }
      return client.submit('annotation.put', { id: act.id, machineId, reasonId: reason.id, ...times })
    }
    case 'reject':
      return reject(client, act, at)
  }
}

function signInAt(
  { records }: PlantClient,
  machineId: string,
  operatorId: string,
  isMeant: (run: { readonly startAt: string; readonly endAt: string | null }) => boolean,
) {
  return records.operatorRunsOf(machineId).find(run => run.operatorId === operatorId && isMeant(run))
}

async function startRun(client: PlantClient, act: Extract<DemoAct, { kind: 'startRun' }>): Promise<void> {
  const machine = client.records.machine(act.machineId)
  if (!machine?.erpMachineId) return
  const { jobName, lotName, operationName, partName, quantityRequired } = act.operation
  const { expectedSetupTime, idealPartTime, expectedPartTime } = act.operation
  await client.submit('jobRun.start', {
    erpJobOperationRunId: act.runId,
    erpMachineId: machine.erpMachineId,
    jobName,
    lotName,
    operationName,
    partName,
    quantityRequired,
    expectedSetupTime,
    idealPartTime,
    expectedPartTime,
    startInSetup: act.inSetup,
    startAt: isoOf(act.atMs),
  })
}

/** Moves parts from good to rejected. */
async function reject(client: PlantClient, act: Extract<DemoAct, { kind: 'reject' }>, at: string): Promise<void> {
  const { records, companyId } = client
  if (records.adjustmentsOf(act.machineId).some(({ adjustmentTime }) => adjustmentTime === at)) return
  const type = records.list('partAdjustmentType', companyId).find(({ name }) => name === act.type)
  const counts = { scrapcount: act.parts, count: -act.parts, category_id: type?.id ?? null }
  await client.submit('partAdjustment.create', { machine_id: act.machineId, adjustmenttime: at, ...counts })
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString()
}
