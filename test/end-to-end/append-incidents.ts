import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { openEmbeddedLog } from '../../log/embedded/embedded-log.ts'
import { encodeEntry } from '../../processors/records/entry-codec.ts'
import type { IncidentRecord } from '../../schema/records/incident.ts'
import { topics } from '../../schema/topics.ts'
import { runSync } from '../../shared/async/steps.ts'
import { minuteMs } from '../../shared/time/units.ts'
import { exampleIncident } from '../support/alerting/example-incident.ts'

/**
 * Appends incidents to the log of a service that is stopped, as one command: to open them by rules would take minutes.
 * The service stores them at its next start.
 */
export async function appendIncidents(dataDir: string, incidents: readonly IncidentRecord[]): Promise<void> {
  const log = await openEmbeddedLog({ path: join(dataDir, 'log') })
  try {
    const nowMs = Date.now()
    const companyId = incidents[0]?.companyId ?? null
    const command = { id: randomUUID(), deadlineMs: nowMs, nowMs, companyId, actor: 'test', name: 'incident.evaluate' }
    const value = Buffer.from(JSON.stringify({ ...command, freshIds: [], payload: {} }))
    const [appended] = await log.append(topics.commands, [{ key: null, value, partition: 0 }])
    const changes = incidents.map(after => ({ kind: 'incident', id: after.id, before: null, after }) as const)
    const outcome = { ok: true, result: { refused: [] } } as const
    const values = runSync(encodeEntry({ command, commandOffset: appended?.offset ?? 0, outcome, changes }))
    await log.append(
      topics.records,
      values.map(each => ({ key: null, value: each, partition: 0 })),
    )
  } finally {
    await log.close()
  }
}

/** Returns an incident of a machine that began, was acknowledged and ended at other times than the one before it. */
export function pastIncident(companyId: string, machineId: string, index: number, fromMs: number): IncidentRecord {
  const at = (minutes: number) => new Date(fromMs + index * 7_919 + minutes * minuteMs).toISOString()
  const by = { kind: 'user', id: `user-${index % 50}`, name: `User ${index % 50}` } as const
  return exampleIncident({
    id: randomUUID(),
    companyId,
    ruleId: `rule-${index % 100}`,
    ruleName: `Rule ${index % 100}`,
    subject: { type: 'machine', id: machineId, name: machineId },
    detail: { reasonId: 'uncategorized' },
    state: 'resolved',
    startedAt: at(0),
    openedAt: at(1),
    endedAt: at(3 + (index % 17)),
    detectedAt: at(1),
    acknowledgedAt: at(2 + (index % 13) / 13),
    acknowledgedBy: by,
    resolvedAt: at(3 + (index % 17)),
    cause: 'condition',
  })
}
