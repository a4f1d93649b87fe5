import type { ApiDeps } from '../api/create-api.ts'
import {
  type CompanyDeadLetters,
  companyDeadLetters,
  type OfCompany,
} from '../ingest/consume/dead-letters-by-reason.ts'
import { replayDeadLetters } from '../ingest/consume/replay-dead-letters.ts'
import type { DeadLettersResponse } from '../schema/requests/dead-letters.ts'
import type { CompanyRecord } from '../schema/records/company.ts'
import { ApiError } from '../schema/errors.ts'
import { FairQueue } from '../shared/fair-queue.ts'
import { instantText } from '../shared/time/instant.ts'
import type { ServiceContext } from './context.ts'

/** Limit of one company's reads of dead letters in progress or waiting. */
const maxPerCompany = 2

/** Reads dead letters for the API: one read at a time, companies in turn, because each read scans the whole topic. */
export function createDeadLetters({
  log,
  records,
  machines,
  followed,
  clock,
  problems,
}: ServiceContext): ApiDeps['deadLetters'] {
  const queue = new FairQueue(1)
  const activeReads = new Map<string, number>()
  const ofCompany = ({ ref }: CompanyRecord): OfCompany => ({
    companyRef: ref,
    isAlone: records.companies().length === 1,
    find: id => machines.find(id),
  })
  async function inTurn<T>({ id }: CompanyRecord, signal: AbortSignal, read: () => Promise<T>): Promise<T> {
    const before = activeReads.get(id) ?? 0
    if (before >= maxPerCompany)
      throw new ApiError(429, 'TooManyRequests', 'Too many reads of dead letters in progress. Retry later.', {
        retryAfterS: 2,
      })
    activeReads.set(id, before + 1)
    try {
      return await queue.run(id, async () => {
        signal.throwIfAborted()
        return read()
      })
    } finally {
      const left = (activeReads.get(id) ?? 1) - 1
      if (left > 0) activeReads.set(id, left)
      else activeReads.delete(id)
    }
  }
  return {
    list: (company, signal) =>
      inTurn(company, signal, async () => {
        const found = await companyDeadLetters(log, ofCompany(company), { signal, problems })
        return { reasons: found.map(shown) }
      }),
    replay: (company, reason, signal) =>
      inTurn(company, signal, async () => {
        await followed.catchUp()
        return replayDeadLetters({ log, machines, reason, of: ofCompany(company), nowMs: clock(), signal, problems })
      }),
  }
}

function shown({ firstMs, lastMs, latest, ...counts }: CompanyDeadLetters): DeadLettersResponse['reasons'][number] {
  return {
    ...counts,
    first: instantText(firstMs),
    last: instantText(lastMs),
    latest: latest.map(({ atMs, message, machineIds, value }) => ({
      at: instantText(atMs),
      message,
      machineIds: [...machineIds],
      value,
    })),
  }
}
