import { expectSameReport, oracleReport, type OraclePlant, type OracleRequest } from '../oracle/oracle.ts'
import type { TestService } from '../support/service.ts'

/** Asks the service, at the plant's time, and expects of every answer what the naive recomputation gives. */
export async function compareReportsOf(
  service: TestService,
  plant: OraclePlant,
  requests: readonly OracleRequest[],
): Promise<void> {
  service.setClock(plant.nowMs)
  for (const request of requests) {
    const { body } = await service.call('POST', `/reports/${request.report}`, request)
    expectSameReport(body, oracleReport({ ...plant, request }))
  }
}
