import type { Processor } from '../../processors/partitions/processor.ts'
import { ConnectorEvaluator, type CurrentConnectorState } from '../../respond/evaluate/connector-evaluator.ts'
import type { CompanyRecord } from '../../schema/records/company.ts'
import type { ConnectorRecord } from '../../schema/records/connector.ts'
import { every } from '../../shared/async/every.ts'
import type { ServiceContext } from '../context.ts'
import type { ConnectorHealthIndex } from '../monitoring/connector-health.ts'
import type { Teardown } from '../teardown.ts'

/** Interval of evaluations, ms. */
const everyMs = 1_000
/** Part of the time that evaluations take at most: a company may have 2,000 connectors and 1,000 rules. */
const maxShare = 0.1
/** Limit of the pause after an evaluation, ms: the log may not have responded to its commands. */
const maxPauseMs = 30_000

/** Starts the evaluation of alert rules on connectors, while the processor owns the first partition. */
export function startConnectorAlerts(
  context: ServiceContext,
  processor: Pick<Processor, 'fences'>,
  health: ConnectorHealthIndex,
  teardown: Teardown,
): void {
  const evaluator = new ConnectorEvaluator({
    ...context,
    fences: () => processor.fences,
    stateOf: (company, connector) => findState(company, connector, health, context.clock()),
  })
  let resumeAtMs = -Infinity
  const evaluate = async () => {
    const startMs = performance.now()
    if (startMs < resumeAtMs) return
    await evaluator.tick()
    const endMs = performance.now()
    resumeAtMs = endMs + Math.min(maxPauseMs, (endMs - startMs) * (1 / maxShare - 1))
  }
  let running = Promise.resolve()
  const stopTimer = every(everyMs, () => (running = evaluate()))
  teardown.add('alerts of connectors', async () => {
    stopTimer()
    await running
  })
}

/** Returns the state of an enabled connector; null: no process may have published it yet. */
function findState(
  { ref }: CompanyRecord,
  { id, kind }: ConnectorRecord,
  index: ConnectorHealthIndex,
  nowMs: number,
): CurrentConnectorState | null {
  // Senders post the samples of these connectors: they have no connection.
  if (kind === 'http') return { holds: false, sinceMs: nowMs, state: 'connected' }
  const health = index.get(ref, id)
  if (health === null) return index.isComplete() ? { holds: true, sinceMs: nowMs, state: 'disconnected' } : null
  const { state, sinceMs, unavailableSinceMs } = health
  const holds = state !== 'connected' && state !== 'catching_up'
  return { holds, sinceMs: holds ? (unavailableSinceMs ?? sinceMs) : sinceMs, state }
}
