import type { ApiDeps } from '../api/create-api.ts'
import { companyDeadLetters, type OfCompany } from '../ingest/consume/company-dead-letters.ts'
import { replayDeadLetters } from '../ingest/consume/replay-dead-letters.ts'
import type { CompanyRecord } from '../schema/records/company.ts'
import { createSerial } from '../shared/async/serial.ts'
import { instantText } from '../shared/time/instant.ts'
import type { ServiceContext } from './context.ts'

/** Reads dead letters for the API, once at a time: each reading goes through the whole topic. */
export function createDeadLetters({ log, records, machines, followed }: ServiceContext): ApiDeps['deadLetters'] {
  const inTurn = createSerial()
  const ofCompany = ({ ref }: CompanyRecord): OfCompany => ({
    companyRef: ref,
    isAlone: records.companies().length === 1,
    find: id => machines.find(id),
  })
  return {
    list: company =>
      inTurn(async () => {
        const found = await companyDeadLetters(log, ofCompany(company))
        const reasons = found.map(({ reason, count, firstMs, lastMs, latest }) => ({
          reason,
          count,
          first: instantText(firstMs),
          last: instantText(lastMs),
          latest: latest.map(({ atMs, message, machineIds, value }) => ({
            at: instantText(atMs),
            message,
            machineIds,
            value,
          })),
        }))
        return { reasons }
      }),
    replay: (company, reason) =>
      inTurn(async () => {
        await followed.catchUp()
        return replayDeadLetters({ log, machines, reason, of: ofCompany(company) })
      }),
  }
}
