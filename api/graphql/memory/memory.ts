import type { Memory } from '../run/context.ts'
import type { StatementCache } from './statement-cache.ts'
import type { StatesMemory } from './states-memory.ts'

/** The in-process results for subscriptions. */
export function createMemory(states: StatesMemory, statements: StatementCache): Memory {
  return {
    list: (request, fields, companyId, budget) => states.list(request, fields, companyId, budget),
    answer: (companyId, sources, statement, ask) => statements.answer(companyId, sources, statement, ask),
  }
}
